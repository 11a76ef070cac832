// SPDX-License-Identifier: Apache-2.0
// What the fabric picture shows: nodes and bundles of links with positions in 0…1, aggregated when there are too many.

const DETAIL = 256; // switches that are drawn one by one

const CHANNEL = 0, NODE = 1, LABEL = 2, OPPOSITE = 3, PEER = 4, PEER_LABEL = 5, CLASS = 6;

function rowsOf(layout) {
  return [...new Set(layout.map((p) => p[1]))].sort((a, b) => a - b);
}

// Switches put together: by row and group where there are rows, else by the cell of a grid that they stand in.
function buckets(drawing) {
  const { layout, groups } = drawing;
  const rows = rowsOf(layout);
  const byRow = rows.length <= 12;
  const most = byRow ? Math.max(8, Math.floor(160 / rows.length)) : 0;
  const rowIndex = new Map(rows.map((y, i) => [y, i]));
  const perRow = rows.map((y) => layout.filter((p) => p[1] === y).length);
  // A row whose switches all share a group (the roots of a tree) is cut by position.
  const rowGroups = rows.map((y) => new Set(layout.map((p, s) => (p[1] === y ? groups?.[s] : undefined)).filter((g) => g !== undefined)).size);
  const keyOf = (s) => {
    const [x, y] = layout[s];
    if (!byRow) return `${Math.min(15, Math.floor(x * 16))}/${Math.min(9, Math.floor(y * 10))}`;
    const row = rowIndex.get(y);
    if (rowGroups[row] > 1 && rowGroups[row] <= most) return `${row}/${groups[s]}`;
    return `${row}/${Math.min(most - 1, Math.floor(x * Math.min(most, Math.ceil(Math.sqrt(perRow[row])))))}`;
  };
  const map = new Map();
  layout.forEach((_, s) => {
    const key = keyOf(s);
    if (!map.has(key)) map.set(key, []);
    map.get(key).push(s);
  });
  return [...map.values()];
}

// Nodes: { x, y, members: [switch …], switch (if single), hosts }. nodeOf[switch] = index.
function placeNodes(drawing, expanded) {
  const { layout, switches } = drawing;
  const nodes = [];
  const nodeOf = new Int32Array(switches).fill(-1);
  const add = (members, x, y) => {
    members.forEach((s) => { nodeOf[s] = nodes.length; });
    nodes.push({ x, y, members, single: members.length === 1 ? members[0] : -1, hosts: 0, bucket: -1 });
  };
  if (switches <= DETAIL) {
    for (let s = 0; s < switches; s++) add([s], layout[s][0], layout[s][1]);
    return { nodes, nodeOf, aggregated: false };
  }
  buckets(drawing).forEach((members, b) => {
    if (b === expanded) {
      const y = layout[members[0]][1];
      const below = y > 0.5 ? -0.1 : 0.1;
      members.forEach((s, i) => {
        const lane = members.length > 40 ? (i % 3) * 0.03 : 0;
        add([s], (i + 0.5) / members.length, y + below + lane);
      });
    } else {
      const mean = (k) => members.reduce((sum, s) => sum + layout[s][k], 0) / members.length;
      add(members, mean(0), mean(1));
    }
    nodes.slice(b === expanded ? -members.length : -1).forEach((n) => { n.bucket = b; });
  });
  return { nodes, nodeOf, aggregated: true };
}

// Parallel links between two drawn nodes fan out, unless they are many: then they are one bundle.
function bundle(links, nodes) {
  const pairs = new Map();
  for (const link of links) {
    const key = link.a < link.b ? link.a * 1e6 + link.b : link.b * 1e6 + link.a;
    if (!pairs.has(key)) pairs.set(key, []);
    pairs.get(key).push(link);
  }
  const edges = [];
  for (const group of pairs.values()) {
    const [{ a, b }] = group;
    if (a === b) {
      nodes[a].inner = (nodes[a].inner ?? []).concat(group);
    } else if (group.length <= 24 && nodes[a].single >= 0 && nodes[b].single >= 0) {
      group.forEach((link, i) => edges.push({ a, b, links: [link], bend: i - (group.length - 1) / 2, of: group.length, flip: link.a !== a }));
    } else {
      edges.push({ a, b, links: group, bend: 0, of: 1 });
    }
  }
  return edges;
}

export function makeScene(drawing, expanded = -1) {
  const { nodes, nodeOf, aggregated } = placeNodes(drawing, expanded);
  const { switches } = drawing;
  const links = [];
  const hostLinks = [];
  drawing.links.forEach((l, index) => {
    const link = { index, channel: l[CHANNEL], opposite: l[OPPOSITE], from: l[NODE], to: l[PEER], fromPort: l[LABEL], toPort: l[PEER_LABEL], cls: l[CLASS] };
    if (l[NODE] < switches && l[PEER] < switches) links.push({ ...link, a: nodeOf[l[NODE]], b: nodeOf[l[PEER]] });
    else if (l[NODE] < switches || l[PEER] < switches) hostLinks.push({ ...link, node: nodeOf[Math.min(l[NODE], l[PEER])], host: Math.max(l[NODE], l[PEER]) });
  });
  const edges = bundle(links, nodes);
  const hosts = [];
  const perNode = new Map();
  for (const h of hostLinks) {
    nodes[h.node].hosts++;
    if (!perNode.has(h.node)) perNode.set(h.node, []);
    perNode.get(h.node).push(h);
  }
  if (drawing.hosts <= 2048 || expanded >= 0)
    for (const [n, list] of perNode)
      if (nodes[n].single >= 0) list.forEach((h, i) => hosts.push({ ...h, slot: i, of: list.length }));
  const rows = rowsOf(nodes.map((n) => [n.x, n.y]));
  return { nodes, edges, hosts, rows, aggregated, expanded };
}
