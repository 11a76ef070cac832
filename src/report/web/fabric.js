// SPDX-License-Identifier: Apache-2.0
// The fabric as a picture: links coloured by how busy they were, slow links marked, everything named under the pointer. Wheel zooms, dragging moves,
// a click on a group opens it.
import { el, slug } from './dom.js';
import { count, percent, plural, rate } from './format.js';
import { kept } from './kept.js';
import { fitted, shortNames, widthOf } from './names.js';
import { file, rampLegend, saves, SvgContext, words } from './saves.js';
import { makeScene } from './scene.js';
import * as state from './state.js';
import { label, overlay } from './svg.js';
import { css, onPaper, onTheme, rampColour } from './theme.js';

const PAD = 46;

const MOST_NAMED = 64; // nodes that are named, where there is room
const LABEL_HEIGHT = 13;

// Labels that lie on none before them, all within the picture.
function apart(labels, width, height) {
  const kept = [], boxes = [];
  for (const l of labels) {
    const half = widthOf(l.text) / 2, box = [l.x - half - 2, l.y - LABEL_HEIGHT / 2, l.x + half + 2, l.y + LABEL_HEIGHT / 2];
    if (!l.text || box[0] < 0 || box[1] < 0 || box[2] > width || box[3] > height) continue;
    if (boxes.some((b) => box[0] < b[2] && b[0] < box[2] && box[1] < b[3] && b[1] < box[3])) continue;
    boxes.push(box);
    kept.push(l);
  }
  return kept;
}

// When the page is drawn again, the picture of the same fabric stays as it is.
export function fabricPicture(fabric) {
  const { switches, hosts, links } = fabric.drawing;
  return kept(`fabric ${fabric.label} ${switches} ${hosts} ${links.length}`, () => makePicture(fabric), (p) => p.again());
}

function makePicture(fabric) {
  const { drawing } = fabric;
  const slow = new Set(fabric.slow_links.flatMap((s) => [s.channel, s.opposite]));
  const canvas = el('canvas', { class: 'fabric', tabindex: 0, role: 'img', 'aria-label': `Picture of ${fabric.label}: links coloured by utilisation` });
  const layer = overlay();
  const tip = el('div', { class: 'tip', hidden: true });
  const back = el('button', { type: 'button', class: 'back', hidden: true, onclick: () => { expand(-1); reset(); } }, 'Whole fabric');
  const save = saves(() => slug(`fabric ${fabric.label}`), () => asFile());
  save.name(`the picture of ${fabric.label}`);
  const node = el('div', {}, el('div', { class: 'plot-head' }, el('span', {}), save), el('div', { class: 'fabric-box' }, canvas, layer, tip, back));
  let use = null, filled = null, word = 'full', roots = null, measure = 'mean', scene = makeScene(drawing), view = { x: 0, y: 0, k: 1 }, hover = null, drag = null;
  let sought = null, path = null, base = null, marks = null, picker = null;

  // Rows are wide; circles and floors are as tall as they are wide, as far as a screen allows.
  const size = () => ({ w: canvas.clientWidth, h: scene.inRows ? (onPaper() ? 300 : 460) : Math.max(320, Math.min(onPaper() ? 480 : 680, canvas.clientWidth)) });
  const wide = () => (scene.inRows ? size().w : Math.min(size().w, size().h * 1.4));
  const hostRoom = () => (scene.hosts.length ? 34 : 0);
  const spot = (n) => {
    const { w, h } = size();
    return [((w - wide()) / 2 + PAD + n.x * (wide() - 2 * PAD)) * view.k + view.x, (PAD * 0.7 + n.y * (h - 1.4 * PAD - hostRoom())) * view.k + view.y];
  };
  const busy = (link) => (use ? Math.max(use[link.channel] ?? 0, use[link.opposite] ?? 0) : 0);
  const bundleUse = (links) => {
    let sum = 0, max = 0;
    for (const l of links) { const u = busy(l); sum += u; max = Math.max(max, u); }
    return { mean: sum / links.length, max };
  };
  const valueOf = (edge) => bundleUse(edge.links)[measure];

  function expand(bucket) {
    scene = makeScene(drawing, bucket);
    back.hidden = bucket < 0;
    hover = null;
    draw();
  }
  function reset() { look({ x: 0, y: 0, k: 1 }); draw(); }
  // The visible part of the picture is kept in the address, as fractions of its size, because other windows have another width.
  function look(next) {
    view = next;
    const { w, h } = size();
    if (!w) return;
    const [k, x, y] = [view.k.toFixed(3), (view.x / w).toFixed(4), (view.y / h).toFixed(4)];
    view = { k: +k, x: x * w, y: y * h }; // exactly what the address says
    state.set('view', view.k === 1 && !view.x && !view.y ? '' : [k, x, y].join(','));
  }
  function lookAgain() {
    const [k, x, y] = state.get('view').split(',').map(Number), { w, h } = size();
    if (w && k >= 1 && k <= 40 && Math.abs(x) <= 40 && Math.abs(y) <= 40) view = { k, x: x * w, y: y * h };
  }

  // ---- geometry
  function curve(edge) {
    const [ax, ay] = spot(scene.nodes[edge.a]);
    const [bx, by] = spot(scene.nodes[edge.b]);
    const dx = bx - ax, dy = by - ay, length = Math.hypot(dx, dy) || 1;
    const spread = edge.of > 1 ? Math.min(11, 90 / edge.of) * view.k ** 0.6 : 0;
    // Links along a row would lie on each other: they bow.
    const bow = Math.abs(dy) < 1 && length > 60 ? 0.14 * length : 0;
    const off = edge.bend * spread * 1.6 + bow;
    return { ax, ay, bx, by, cx: (ax + bx) / 2 - (dy / length) * off, cy: (ay + by) / 2 + (dx / length) * off };
  }
  const columnsOf = (hosts) => Math.max(4, Math.ceil(hosts / Math.ceil(hosts / 12)));
  function hostSpot(h) {
    const [x, y] = spot(scene.nodes[h.node]);
    const columns = columnsOf(h.of);
    const step = Math.min(9, (scene.nodes[h.node].room * (wide() - 2 * PAD)) / (columns + 1)) * view.k;
    const line = Math.floor(h.slot / columns);
    return [x + ((h.slot % columns) - (columns - 1) / 2) * step, y + (18 + 8 * line) * view.k];
  }
  const radius = (n) => Math.min((n.single >= 0 ? (scene.nodes.length <= 60 ? 9 : scene.nodes.length <= 300 ? 5.5 : 4) : 6 + Math.min(9, Math.sqrt(n.members.length))) * Math.min(1.8, view.k ** 0.5),
    Math.max(2, (n.room * (wide() - 2 * PAD) * view.k) / 2 - 1));

  // ---- drawing
  function drawEdge(g, edge, width) {
    const c = curve(edge);
    g.beginPath();
    g.moveTo(c.ax, c.ay);
    g.quadraticCurveTo(c.cx, c.cy, c.bx, c.by);
    g.lineWidth = width;
    g.stroke();
  }
  function drawEdges(g) {
    const many = scene.edges.length > 1500;
    const order = scene.edges.map((edge) => ({ edge, value: use ? valueOf(edge) : 0 })).sort((p, q) => p.value - q.value);
    for (const { edge, value } of order) {
      const isSlow = edge.links.some((l) => slow.has(l.channel) || marks?.slow.has(l.channel)), gone = edge.links.filter((l) => marks?.failed.has(l.channel)).length;
      if (isSlow) { g.strokeStyle = css('--warn'); g.setLineDash([7, 4]); drawEdge(g, edge, 8); g.setLineDash([]); }
      g.strokeStyle = rampColour(value);
      g.globalAlpha = many ? 0.25 + 0.75 * value : 1;
      drawEdge(g, edge, (many ? 0.7 : 1.3) + (many ? 1 : 2.4) * Math.min(1, value) + (edge.links.length > 1 ? Math.min(3, Math.log2(edge.links.length) / 2) : 0));
      g.globalAlpha = 1;
      if (gone === edge.links.length) { g.strokeStyle = css('--card'); drawEdge(g, edge, 5); }
      if (gone) { g.strokeStyle = css('--bad'); g.setLineDash(gone === edge.links.length ? [3, 4] : [3, 12]); drawEdge(g, edge, 4); g.setLineDash([]); }
    }
  }
  function drawHosts(g) {
    for (const h of scene.hosts) {
      const [x, y] = hostSpot(h);
      const value = busy(h);
      const mark = marks?.failed.has(h.channel) ? '--bad' : marks?.slow.has(h.channel) ? '--warn' : '';
      g.fillStyle = mark ? css(mark) : rampColour(value);
      g.beginPath();
      g.arc(x, y, Math.min(4, 2.6 * view.k ** 0.5) + (mark ? 1.5 : 0), 0, 7);
      g.fill();
    }
  }
  function drawNodes(g) {
    for (const n of scene.nodes) {
      const [x, y] = spot(n);
      const r = radius(n);
      g.fillStyle = n.members.some((m) => marks?.down.has(m)) ? css('--bad') : filled ? rampColour(Math.max(...n.members.map((m) => filled[m]))) : css('--node');
      g.strokeStyle = n.inner && use ? rampColour(bundleUse(n.inner)[measure]) : css('--card');
      g.lineWidth = n.inner ? 3 : 1.5;
      g.beginPath();
      if (n.single >= 0) g.roundRect(x - r, y - r * 0.8, 2 * r, 1.6 * r, 3);
      else g.arc(x, y, r, 0, 7);
      g.fill();
      g.stroke();
    }
  }
  // Switches: their names, above the upper rows and below the lower ones. Groups: how many switches they hold, in their circles or beside them.
  const names = shortNames(drawing);
  function labelOf(n) {
    const [x, y] = spot(n), r = radius(n), above = n.y <= 0.5 || scene.rows.length < 2;
    if (n.single >= 0) {
      const hosts = n.hosts && scene.hosts.length ? (8 * Math.ceil(n.hosts / columnsOf(n.hosts)) + 3) * view.k : 0;
      return { x, y: above && !(hosts && scene.rows.length > 2) ? y - r - 9 : y + r + 10 + hosts, text: fitted(names[n.single], 150), title: drawing.names[n.single] };
    }
    const text = n.members.length > 999 ? `${Math.round(n.members.length / 100) / 10}k` : String(n.members.length);
    return widthOf(text) < 2 * r - 2 ? { x, y, text, class: 'inside' } : { x, y: above ? y - r - 8 : y + r + 8, text };
  }
  function drawLabels() {
    const { w, h } = size();
    const named = scene.nodes.filter((n) => n.single < 0 || scene.nodes.length <= MOST_NAMED || scene.expanded >= 0);
    const labels = named.map(labelOf).map((l) => ({ ...l, anchor: 'middle', fill: l.class === 'inside' ? (filled ? '#000' : css('--card')) : css('--text') }));
    label(layer, w, h, apart(labels, w, h));
  }
  // Roots: a diamond on the link, near the port that sends, or at the host, or, where these are not drawn one by one, at their switch
  // or group; as large as its tree.
  const switchOf = new Map(drawing.links.flatMap((l) => [[l[0], l[1] < drawing.switches ? l[1] : l[4]], [l[3], l[4] < drawing.switches ? l[4] : l[1]]]));
  function rootSpots() {
    if (!roots) return [];
    const spots = [], placed = new Set();
    const found = (link) => [link.channel, link.opposite].find((c) => roots.has(c));
    for (const edge of scene.edges)
      for (const link of edge.links) {
        const channel = found(link);
        if (channel === undefined) continue;
        placed.add(channel);
        const c = curve(edge), sender = channel === link.channel ? link.from : link.to;
        const t = scene.nodes[edge.a].members.includes(sender) ? 0.22 : 0.78, s = 1 - t;
        spots.push({ x: s * s * c.ax + 2 * s * t * c.cx + t * t * c.bx, y: s * s * c.ay + 2 * s * t * c.cy + t * t * c.by, size: roots.get(channel) });
      }
    for (const h of scene.hosts) {
      const channel = found(h);
      if (channel !== undefined) { const [x, y] = hostSpot(h); spots.push({ x, y, size: roots.get(channel) }); placed.add(channel); }
    }
    for (const [channel, size] of roots) {
      const home = placed.has(channel) ? null : scene.nodes.find((n) => n.members.includes(switchOf.get(channel)));
      if (home) { const [x, y] = spot(home), r = radius(home); spots.push({ x: x + r, y: y - r, size }); }
    }
    return spots;
  }
  function drawRoots(g) {
    for (const { x, y, size } of rootSpots()) {
      const r = 5 + Math.min(9, Math.sqrt(size));
      g.fillStyle = css('--bad');
      g.strokeStyle = css('--card');
      g.lineWidth = 2;
      g.beginPath();
      g.moveTo(x, y - r);
      g.lineTo(x + r, y);
      g.lineTo(x, y + r);
      g.lineTo(x - r, y);
      g.closePath();
      g.fill();
      g.stroke();
    }
  }
  // What is sought, and the links that packets of a pair may take.
  const nodeOf = (n) => scene.nodes.find((m) => m.members.includes(n));
  const homes = new Map(drawing.links.flatMap((l) => (l[1] < drawing.switches ? (l[4] < drawing.switches ? [] : [[l[4], l[1]]]) : [[l[1], l[4]]])));
  const homeOf = (n) => (n < drawing.switches ? n : homes.get(n));
  const onPath = (l) => path.channels.has(l.channel) || path.channels.has(l.opposite);
  function ring(g, x, y, r) {
    for (const [colour, width] of [[css('--card'), 6], [css('--accent'), 3]]) {
      g.strokeStyle = colour;
      g.lineWidth = width;
      g.beginPath();
      g.arc(x, y, r, 0, 7);
      g.stroke();
    }
  }
  function drawPath(g) {
    if (!path) return;
    for (const [colour, width] of [[css('--card'), 8], [css('--accent'), 5]]) {
      g.strokeStyle = colour;
      for (const edge of scene.edges) if (edge.links.some(onPath)) drawEdge(g, edge, width);
    }
    for (const n of path.hosts) marked(g, n, 6);
  }
  // A ring around a node, around its switch or group where it is not drawn itself.
  function marked(g, n, far) {
    const h = n < drawing.switches ? null : scene.hosts.find((x) => x.host === n), home = nodeOf(homeOf(n));
    if (h) ring(g, ...hostSpot(h), far);
    else if (home) ring(g, ...spot(home), radius(home) + far);
  }
  function drawHover(g) {
    if (!hover) return;
    g.strokeStyle = css('--accent');
    if (hover.edge) drawEdge(g, hover.edge, 4.5);
    if (hover.node) {
      const [x, y] = spot(hover.node);
      g.lineWidth = 3;
      g.beginPath();
      g.arc(x, y, radius(hover.node) + 4, 0, 7);
      g.stroke();
    }
  }
  function drawAll(g) {
    drawEdges(g);
    drawPath(g);
    drawHosts(g);
    drawNodes(g);
    drawRoots(g);
    if (path) path.hosts.forEach((n) => marked(g, n, 6));
    if (sought !== null) marked(g, sought, 9);
    drawHover(g);
  }
  function asFile() {
    const { w, h } = size(), g = new SvgContext(), head = 30, legend = use ? 26 : 0;
    drawAll(g);
    drawLabels();
    const texts = [...layer.children].map((t) => words(+t.getAttribute('x'), +t.getAttribute('y'), t.firstChild.textContent, { 'font-size': 11, 'text-anchor': t.getAttribute('text-anchor'), fill: t.getAttribute('fill'), ...(t.classList.contains('inside') ? {} : { stroke: '#fff', 'stroke-width': 3, 'paint-order': 'stroke' }) }));
    const picture = document.createElementNS('http://www.w3.org/2000/svg', 'g');
    picture.setAttribute('transform', `translate(0 ${head + legend})`);
    picture.append(...g.nodes, ...texts);
    return file(w, h + head + legend, [words(8, 20, fabric.label, { 'font-size': 14, 'font-weight': 600 }), ...(use ? rampLegend(8, 34, '0', '100 % of its rate') : []), picture], fabric.label);
  }
  function draw() {
    const { w, h } = size();
    if (!w) return;
    const dpr = devicePixelRatio || 1;
    canvas.width = Math.round(w * dpr);
    canvas.height = Math.round(h * dpr);
    canvas.style.height = `${h}px`;
    const g = canvas.getContext('2d');
    g.setTransform(dpr, 0, 0, dpr, 0, 0);
    g.clearRect(0, 0, w, h);
    drawAll(g);
    drawLabels();
  }

  // ---- pointing
  function distance(edge, px, py) {
    const c = curve(edge);
    let best = 1e9;
    for (let i = 0; i <= 16; i++) {
      const t = i / 16, s = 1 - t;
      best = Math.min(best, Math.hypot(s * s * c.ax + 2 * s * t * c.cx + t * t * c.bx - px, s * s * c.ay + 2 * s * t * c.cy + t * t * c.by - py));
    }
    if (best > 60) return best;
    for (let i = 0; i <= 160; i++) {
      const t = i / 160, s = 1 - t;
      best = Math.min(best, Math.hypot(s * s * c.ax + 2 * s * t * c.cx + t * t * c.bx - px, s * s * c.ay + 2 * s * t * c.cy + t * t * c.by - py));
    }
    return best;
  }
  function pick(px, py) {
    for (const n of scene.nodes) {
      const [x, y] = spot(n);
      if (Math.hypot(x - px, y - py) <= radius(n) + 3) return { node: n };
    }
    for (const h of scene.hosts) {
      const [x, y] = hostSpot(h);
      if (Math.hypot(x - px, y - py) <= 5) return { host: h };
    }
    let found = null, best = 6;
    for (const edge of scene.edges) {
      const d = distance(edge, px, py);
      if (d < best) { best = d; found = edge; }
    }
    return found && { edge: found };
  }
  const name = (n) => drawing.names[n] ?? `node ${n}`;
  function linkLines(l) {
    const cls = drawing.classes[l.cls];
    return [el('strong', {}, slow.has(l.channel) ? 'slow link' : 'link'), ` ${rate(cls.rate_bps)}`,
      el('div', {}, `${name(l.from)} port ${l.fromPort}`), el('div', {}, `${name(l.to)} port ${l.toPort}`),
      use && el('div', {}, `→ ${percent(use[l.channel])} busy, ← ${percent(use[l.opposite])} busy`),
      ...[[l.channel, '→'], [l.opposite, '←']].map(([c, arrow]) => roots?.has(c) && el('div', {}, el('strong', {}, `${arrow} root of a congestion tree`), `: ${count(roots.get(c))} buffers and hosts blocked`))];
  }
  function describe(hit) {
    if (hit.host) return linkLines(hit.host);
    if (hit.edge && hit.edge.links.length === 1) return linkLines(hit.edge.links[0]);
    if (hit.edge) {
      const u = bundleUse(hit.edge.links);
      return [el('strong', {}, `${count(hit.edge.links.length)} links`), use && el('div', {}, `busiest ${percent(u.max)}, mean ${percent(u.mean)}`)];
    }
    const n = hit.node;
    if (n.single >= 0)
      return [el('strong', {}, name(n.single)), filled && el('div', {}, `buffers ${percent(filled[n.single])} ${word}`), el('div', {}, `${plural(n.hosts, 'host')}${drawing.levels ? `, level ${drawing.levels[n.single]}` : ''}${drawing.groups ? `, group ${drawing.groups[n.single]}` : ''}`)];
    return [el('strong', {}, `${count(n.members.length)} switches`), el('div', {}, plural(n.hosts, 'host')), el('div', {}, `${name(n.members[0])} …`), el('div', { class: 'quiet' }, 'click to open')];
  }
  function point(event) {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }
  canvas.addEventListener('pointermove', (event) => {
    const [x, y] = point(event);
    if (drag) {
      look({ ...view, x: view.x + x - drag.x, y: view.y + y - drag.y });
      drag = { x, y, moved: drag.moved || Math.hypot(x - drag.x, y - drag.y) > 2 };
      draw();
      return;
    }
    const hit = pick(x, y);
    hover = hit;
    tip.hidden = !hit;
    if (hit) {
      tip.replaceChildren(...describe(hit).filter(Boolean));
      const { w } = size();
      tip.style.left = `${Math.max(0, Math.min(x + 14, w - 270))}px`;
      tip.style.top = `${y + 14}px`;
    }
    canvas.style.cursor = hit && (picker || hit.node?.single < 0) ? 'pointer' : 'grab';
    draw();
  });
  canvas.addEventListener('pointerleave', () => { hover = null; drag = null; tip.hidden = true; draw(); });
  canvas.addEventListener('pointerdown', (event) => { const [x, y] = point(event); drag = { x, y, moved: false }; canvas.setPointerCapture(event.pointerId); });
  canvas.addEventListener('pointerup', (event) => {
    const clicked = drag && !drag.moved;
    drag = null;
    const hit = clicked && pick(...point(event));
    if (hit?.node && hit.node.single < 0) expand(hit.node.bucket);
    else if (hit && picker) picker(hit);
  });
  canvas.addEventListener('wheel', (event) => {
    if (!event.ctrlKey && !event.metaKey && view.k === 1 && event.deltaY > 0) return; // let the page scroll
    event.preventDefault();
    const [x, y] = point(event);
    const k = Math.min(40, Math.max(1, view.k * Math.exp(-event.deltaY * 0.0015)));
    look(k === 1 ? { x: 0, y: 0, k } : { k, x: x - ((x - view.x) * k) / view.k, y: y - ((y - view.y) * k) / view.k });
    draw();
  }, { passive: false });
  canvas.addEventListener('dblclick', reset);
  canvas.addEventListener('keydown', (event) => {
    const step = { ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40] }[event.key];
    if (step) look({ ...view, x: view.x + step[0], y: view.y + step[1] });
    else if (event.key === '+' || event.key === '-') look({ ...view, k: Math.min(40, Math.max(1, view.k * (event.key === '+' ? 1.25 : 0.8))) });
    else if (event.key === 'Escape') { expand(-1); look({ x: 0, y: 0, k: 1 }); } else return;
    event.preventDefault();
    draw();
  });
  // The group that a node is in opens, and the node comes to the middle.
  function seek(n, centre) {
    sought = n;
    if (n === null) { draw(); return; }
    const home = homeOf(n);
    if (scene.aggregated && nodeOf(home)?.single < 0) expand(nodeOf(home).bucket);
    const { w, h } = size(), found = nodeOf(home);
    if (centre && w && found) {
      const k = Math.max(view.k, scene.nodes.length > 24 ? 2.5 : 1.6), [x, y] = spot(found), at = [(x - view.x) / view.k, (y - view.y) / view.k];
      look({ k, x: w / 2 - at[0] * k, y: h / 2 - at[1] * k });
    }
    draw();
  }
  let first = true;
  new ResizeObserver(() => requestAnimationFrame(() => { if (first && canvas.clientWidth) { first = false; lookAgain(); } draw(); })).observe(node);
  onTheme(draw);
  return {
    node, aggregated: scene.aggregated, seek,
    again() { onTheme(draw); },
    // null, or what is damaged: channels (one of each link) that failed or are slow, switches that are down, and null or the use of channels then
    mark(next) { marks = next; use = marks?.use ?? base; draw(); },
    // Who is told what is clicked on; null: nobody.
    picks(fn) { picker = fn; },
    // null, or { channels: Set, hosts: the two nodes }
    path(next) { path = next; draw(); },
    // `buffers`: a share of each switch's buffers at the moment chosen, of which `what` says what they were; null shows switches in their own
    // colour. `trees`: roots of congestion at that moment, channel → size.
    show(utilisation, how, buffers = null, what = 'full', trees = null) { base = utilisation; use = marks?.use ?? base; measure = how ?? measure; filled = buffers; word = what; roots = trees; draw(); },
  };
}
