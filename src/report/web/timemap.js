// SPDX-License-Identifier: Apache-2.0
// A map over time: columns are periods, rows have names, the colour says how much.
import { el, slug } from './dom.js';
import { shortTime } from './format.js';
import { legend } from './legend.js';
import { fitted, widthOf } from './names.js';
import { file, rampLegend, saves, SvgContext, words } from './saves.js';
import { label, overlay } from './svg.js';
import { css, onTheme, rampColour } from './theme.js';

const ROOM_FOR_TIME = 24, ROOM_FOR_TICK = 74;

// Round times from 0 to the end, at most `most` steps of 1, 2 or 5 times a power of ten.
function ticks(end, most) {
  let step = 10 ** Math.floor(Math.log10(end / most));
  for (const factor of [2, 2.5, 2]) if (end / step > most) step *= factor;
  return Array.from({ length: Math.floor(end / step + 1e-9) + 1 }, (_, i) => i * step);
}

// rowHeight: pixels of a row, given their number; at least what a name needs. The returned show() takes
// { rows: names, full: the same unabridged, periods: their number, period_ps, shade: (row, t) → 0 to 1, tell: (row, t) → text,
//   high: what the darkest colour means, note: text below }.
export function timeMap(title, rowHeight) {
  const canvas = el('canvas', { class: 'heat', role: 'img', 'aria-label': title });
  const layer = overlay();
  const tip = el('div', { class: 'tip', hidden: true });
  const note = el('p', { class: 'quiet' });
  const keys = legend('0', '');
  const save = saves(() => slug(title), () => asFile());
  save.name(title);
  const node = el('div', { class: 'map' }, el('div', { class: 'plot-head' }, keys.node, save), el('div', { class: 'fabric-box' }, canvas, layer, tip), note);
  let map = { rows: [], periods: 0 }, left = 0;
  const tall = () => Math.max(13, rowHeight(map.rows.length));
  const wide = () => (canvas.clientWidth - left - 8) / map.periods;
  function cells(g) {
    for (let row = 0; row < map.rows.length; row++)
      for (let t = 0; t < map.periods; t++) {
        g.fillStyle = rampColour(map.shade(row, t));
        g.fillRect(left + t * wide(), row * tall(), Math.ceil(wide()) - (wide() > 6 ? 1 : 0), tall() - 1);
      }
  }
  function labels(height) {
    const end = (map.periods * map.period_ps) / 1000, right = canvas.clientWidth - 8;
    const rows = map.rows.map((name, row) => ({ x: left - 8, y: (row + 0.5) * tall(), anchor: 'end', fill: css('--text'), text: fitted(name, left - 12), title: map.full?.[row] ?? name }));
    const times = ticks(end, Math.max(1, Math.floor((right - left) / ROOM_FOR_TICK))).map((t) => {
      const text = shortTime(t), half = widthOf(text) / 2 + 1;
      return { x: Math.min(canvas.clientWidth - half, left + ((right - left) * t) / end), y: height - 12, anchor: 'middle', fill: css('--soft'), text };
    });
    label(layer, canvas.clientWidth, height, [...rows.filter((l) => l.text), ...times]);
  }
  function asFile() {
    const g = new SvgContext(), height = map.rows.length * tall() + ROOM_FOR_TIME, picture = document.createElementNS('http://www.w3.org/2000/svg', 'g');
    cells(g);
    labels(height);
    const texts = [...layer.children].map((t) => words(+t.getAttribute('x'), +t.getAttribute('y'), t.firstChild.textContent, { 'font-size': 11, 'text-anchor': t.getAttribute('text-anchor'), fill: t.getAttribute('fill') }));
    picture.setAttribute('transform', 'translate(0 56)');
    picture.append(...g.nodes, ...texts);
    return file(canvas.clientWidth, height + 64, [words(8, 20, title, { 'font-size': 14, 'font-weight': 600 }), ...rampLegend(8, 34, '0', map.high ?? ''), picture], title);
  }
  function draw() {
    canvas.hidden = keys.node.hidden = save.hidden = !map.rows.length;
    if (!map.rows.length) layer.replaceChildren();
    if (!map.rows.length || !canvas.clientWidth) return;
    const dpr = devicePixelRatio || 1, height = map.rows.length * tall() + ROOM_FOR_TIME;
    left = Math.min(0.45 * canvas.clientWidth, map.rows.reduce((most, name) => Math.max(most, widthOf(name)), 0) + 14);
    canvas.width = Math.round(canvas.clientWidth * dpr);
    canvas.height = Math.round(height * dpr);
    canvas.style.height = `${height}px`;
    const g = canvas.getContext('2d');
    g.setTransform(dpr, 0, 0, dpr, 0, 0);
    cells(g);
    labels(height);
  }
  canvas.addEventListener('pointermove', (event) => {
    const box = canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    const t = Math.floor((x - left) / wide()), row = Math.floor(y / tall());
    tip.hidden = !(row >= 0 && row < map.rows.length && t >= 0 && t < map.periods);
    if (tip.hidden) return;
    tip.textContent = map.tell(row, t);
    tip.style.left = `${Math.max(0, Math.min(x + 14, canvas.clientWidth - 280))}px`;
    tip.style.top = `${y + 14}px`;
  });
  canvas.addEventListener('pointerleave', () => { tip.hidden = true; });
  new ResizeObserver(() => requestAnimationFrame(draw)).observe(node);
  onTheme(draw);
  return {
    node,
    show(next) {
      map = next;
      note.textContent = next.note;
      note.hidden = !next.note;
      keys.say(next.high);
      draw();
    },
  };
}
