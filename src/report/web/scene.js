// SPDX-License-Identifier: Apache-2.0
// What the fabric picture shows: nodes and bundles of links with positions in 0…1, aggregated when there are too many.

const DETAIL = 256; // switches that are drawn one by one

const CHANNEL = 0, NODE = 1, LABEL = 2, OPPOSITE = 3, PEER = 4, PEER_LABEL = 5, CLASS = 6;
// A link of a drawing, by names.
export const linkOf = (l, index) => ({ index, channel: l[CHANNEL], opposite: l[OPPOSITE], from: l[NODE], to: l[PEER], fromPort: l[LABEL], toPort: l[PEER_LABEL], cls: l[CLASS] });

function rowsOf(layout) {
  return [...new Set(layout.map((p) => p[1]))].sort((a, b) => a - b);
}

// Neighbouring groups join until at most `most` nodes are left: a group is never cut.
function joined(groups, most) {
  const each = Math.ceil(groups.length / most);
  return Array.from({ length: Math.ceil(groups.length / each) }, (_, i) => groups.slice(i * each, (i + 1) * each).flat());
}

// Switches put together: by row and group (pods of trees, and the planes of their top level; groups of dragonflies), else by the
// cell of a grid that they stand in.
function buckets(drawing) {
  const { layout, groups } = drawing;
  const rows = rowsOf(layout), byRow = rows.length <= 12;
  const rowIndex = new Map(rows.map((y, i) => [y, i]));
  const keyOf = (s) => {
    const [x, y] = layout[s];
    if (!groups) return byRow ? `${rowIndex.get(y)}/${Math.floor(x * 16)}` : `${Math.min(15, Math.floor(x * 16))}/${Math.min(9, Math.floor(y * 10))}`;
    return byRow ? `${rowIndex.get(y)}/${groups[s]}` : `0/${groups[s]}`;
  };
  const map = new Map();
  layout.forEach((_, s) => {
    const key = keyOf(s);
    if (!map.has(key)) map.set(key, []);
    map.get(key).push(s);
  });
  const perRow = new Map();
  for (const [key, members] of [...map].sort(([a], [b]) => Number(a.split('/')[1]) - Number(b.split('/')[1]))) {
    const row = key.slice(0, key.indexOf('/'));
    perRow.set(row, [...(perRow.get(row) ?? []), members]);
  }
  const most = byRow ? Math.max(16, Math.floor(160 / rows.length)) : 160;
  // In rows the nodes keep the order of their groups, evenly spread; elsewhere each stands in the middle of its switches.
  return [...perRow.values()].map((list) => joined(list, most)).flatMap((list) => list.map((members, i) => {
    const mean = (k) => members.reduce((sum, s) => sum + layout[s][k], 0) / members.length;
    return { members, x: byRow ? (i + 0.5) / list.length : mean(0), y: mean(1) };
  }));
}

// How far each node is from its nearest neighbour, in units of the picture's width: in its row, or anywhere.
function findRoom(nodes, inRows) {
  const rows = new Map();
  for (const n of nodes) {
    const key = inRows ? n.y : 0;
    if (!rows.has(key)) rows.set(key, []);
    rows.get(key).push(n);
  }
  for (const row of rows.values()) {
    row.sort((a, b) => a.x - b.x);
    row.forEach((n, i) => {
      for (let k = i - 1; k >= 0 && n.x - row[k].x < n.room; k--) {
        const far = Math.hypot(n.x - row[k].x, n.y - row[k].y);
        n.room = Math.min(n.room, far);
        row[k].room = Math.min(row[k].room, far);
      }
    });
  }
}

// Nodes: { x, y, members: [switch …], switch (if single), hosts }. nodeOf[switch] = index.
function placeNodes(drawing, expanded) {
  const { layout, switches } = drawing;
  const nodes = [];
  const nodeOf = new Int32Array(switches).fill(-1);
  const add = (members, x, y) => {
    members.forEach((s) => { nodeOf[s] = nodes.length; });
    nodes.push({ x, y, room: 1, members, single: members.length === 1 ? members[0] : -1, hosts: 0, bucket: -1 });
  };
  if (switches <= DETAIL) {
    for (let s = 0; s < switches; s++) add([s], layout[s][0], layout[s][1]);
    return { nodes, nodeOf, aggregated: false };
  }
  buckets(drawing).forEach(({ members, x, y: mean }, b) => {
    if (b === expanded) {
      const y = layout[members[0]][1];
      const below = y > 0.5 ? -0.1 : 0.1;
      members.forEach((s, i) => {
        const lane = members.length > 40 ? (i % 3) * 0.03 : 0;
        add([s], (i + 0.5) / members.length, y + below + lane);
      });
    } else {
      add(members, x, mean);
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
    const link = linkOf(l, index);
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
  const rows = rowsOf(nodes.map((n) => [n.x, n.y])), inRows = rowsOf(drawing.layout).length <= 6;
  findRoom(nodes.slice(), inRows);
  return { nodes, edges, hosts, rows, inRows, aggregated, expanded };
}
