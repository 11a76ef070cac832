// SPDX-License-Identifier: Apache-2.0
// A matrix of who sent how much to whom, as a map of colours.
import { el, slug } from './dom.js';
import { legend } from './legend.js';
import { widthOf } from './names.js';
import { file, rampLegend, saves, SvgContext, words } from './saves.js';
import { label, overlay } from './svg.js';
import { css, onTheme, rampColour } from './theme.js';

const SIDE = 480, LABEL = 13, TOP = 34; // pixels: of the picture, of a name, above the picture

// show() takes { num: rows and columns, cells: [[row, column, share of the most]], names: of rows, tell(row, column) → text, high: what the most is, from, to: words of the axes }.
export function matrix(title) {
  const canvas = el('canvas', { class: 'matrix', role: 'img', 'aria-label': title }), layer = overlay();
  const tip = el('div', { class: 'tip', hidden: true });
  const keys = legend('0', '');
  const save = saves(() => slug(title), () => asFile());
  save.name(title);
  const node = el('div', { class: 'map' }, el('div', { class: 'plot-head' }, keys.node, save), el('div', { class: 'fabric-box' }, canvas, layer, tip));
  let map = { num: 0, cells: [], names: [] }, left = 0, wide = SIDE;
  const size = () => wide / Math.max(1, map.num);
  function cells(g) {
    g.fillStyle = rampColour(0);
    g.fillRect(left, TOP, wide, wide);
    for (const [row, column, share] of map.cells) {
      g.fillStyle = rampColour(Math.max(0.02, share));
      g.fillRect(left + column * size(), TOP + row * size(), Math.max(1, size() - (size() > 6 ? 1 : 0)), Math.max(1, size() - (size() > 6 ? 1 : 0)));
    }
  }
  function names() {
    const down = Math.ceil(LABEL / size()), across = Math.ceil((map.names.reduce((most, t) => Math.max(most, widthOf(t)), 0) + 6) / size()), fill = css('--soft');
    return [{ x: left + wide / 2, y: 8, anchor: 'middle', fill: css('--text'), text: map.to }, { x: 2, y: TOP - 10, anchor: 'start', fill: css('--text'), text: map.from },
      ...map.names.flatMap((text, k) => (k % down ? [] : [{ x: left - 6, y: TOP + Math.max(LABEL / 2, (k + 0.5) * size()), anchor: 'end', fill, text }])),
      ...map.names.flatMap((text, k) => (k % across ? [] : [{ x: left + (k + 0.5) * size(), y: TOP - 10, anchor: 'middle', fill, text }]))];
  }
  function asFile() {
    const g = new SvgContext(), picture = document.createElementNS('http://www.w3.org/2000/svg', 'g');
    cells(g);
    picture.setAttribute('transform', 'translate(0 56)');
    picture.append(...g.nodes, ...names().map((l) => words(l.x, l.y + 4, l.text, { 'font-size': 11, 'text-anchor': l.anchor, fill: l.fill })));
    return file(left + wide + 10, TOP + wide + 68, [words(8, 20, title, { 'font-size': 14, 'font-weight': 600 }), ...rampLegend(8, 34, '0', map.high), picture], title);
  }
  function draw() {
    if (!node.clientWidth || !map.num) return;
    const dpr = devicePixelRatio || 1;
    left = Math.max(widthOf(map.from), map.names.reduce((most, t) => Math.max(most, widthOf(t)), 0)) + 14;
    wide = Math.min(SIDE, node.clientWidth - left - 10);
    canvas.width = Math.round((left + wide + 10) * dpr);
    canvas.height = Math.round((TOP + wide + 4) * dpr);
    canvas.style.width = `${left + wide + 10}px`;
    canvas.style.height = `${TOP + wide + 4}px`;
    const g = canvas.getContext('2d');
    g.setTransform(dpr, 0, 0, dpr, 0, 0);
    cells(g);
    label(layer, left + wide + 10, TOP + wide + 4, names());
  }
  canvas.addEventListener('pointermove', (event) => {
    const at = canvas.getBoundingClientRect(), x = event.clientX - at.left, y = event.clientY - at.top;
    const column = Math.floor((x - left) / size()), row = Math.floor((y - TOP) / size());
    tip.hidden = !(row >= 0 && row < map.num && column >= 0 && column < map.num);
    if (tip.hidden) return;
    tip.textContent = map.tell(row, column);
    tip.style.left = `${Math.min(x + 14, Math.max(0, node.clientWidth - 260))}px`;
    tip.style.top = `${Math.max(0, y > wide - 30 ? y - 40 : y + 14)}px`;
  });
  canvas.addEventListener('pointerleave', () => { tip.hidden = true; });
  new ResizeObserver(() => requestAnimationFrame(draw)).observe(node);
  onTheme(draw);
  return { node, show(next) { map = next; keys.say(next.high); draw(); } };
}
