// SPDX-License-Identifier: Apache-2.0
// Time lines: a row per rank of a program, parts of the row by what the rank was in.
import { el, slug } from './dom.js';
import { shortTime, time } from './format.js';
import { fitted, widthOf } from './names.js';
import { file, legendLines, saves, SvgContext, words } from './saves.js';
import { label, overlay, svg } from './svg.js';
import { barKeys } from './bars.js';
import { css, onTheme, seriesColour } from './theme.js';

// What a rank is in, by the numbers that results have: [words, number of its colour].
export const CALLS = [null, ['compute', 4], ['send', 2], ['receive', 0], ['wait', 1], ['collective', 7]];
const callColour = (kind) => seriesColour(CALLS[kind][1]);
export const callKeys = (kinds) => kinds.map((kind) => [CALLS[kind][0], () => callColour(kind)]);

const ROOM_FOR_TIME = 22, ROOM_FOR_TICK = 80, LEAST_RANGE = 1e-4; // of all the time
const parts = new Map(); // by title: the part of the time that is shown, and of how long a time it is one
const LEAST_ROW = 4, MOST_ROW = 20, TALL = 560, LABEL = 12; // pixels

// Round times between two others.
export function ticks(from, to, most) {
  const step = [1, 2, 5, 10].map((f) => f * 10 ** Math.floor(Math.log10((to - from) / most))).find((s) => (to - from) / s <= most) ?? to - from;
  const first = Math.ceil(from / step - 1e-9);
  return Array.from({ length: Math.max(0, Math.floor(to / step + 1e-9) - first + 1) }, (_, i) => (first + i) * step);
}

// The segment of a line [kind, until, kind, until, …] at a time: [kind, from, until], or null behind its end.
function segmentAt(line, t) {
  let low = 0, high = line.length / 2;
  while (low < high) { const middle = (low + high) >> 1; if (line[2 * middle + 1] > t) high = middle; else low = middle + 1; }
  return 2 * low < line.length ? [line[2 * low], low ? line[2 * low - 1] : 0, line[2 * low + 1]] : null;
}

// show() takes { rows: [{ name, title, line }], end_ps }. Dragging over the picture shows a part of the time.
export function timeLines(title) {
  const canvas = el('canvas', { class: 'heat lines', role: 'img', 'aria-label': title }), layer = overlay();
  const tip = el('div', { class: 'tip', hidden: true }), band = el('div', { class: 'lines-band', hidden: true });
  const axis = svg('svg', { class: 'lines-axis', 'aria-hidden': 'true' });
  const whole = el('button', { type: 'button', onclick: () => range(0, map.end_ps) }, 'Whole time');
  const keys = el('span', {});
  const save = saves(() => slug(title), () => asFile());
  save.name(title);
  const box = el('div', { class: 'fabric-box' }, canvas, layer, band, tip);
  const node = el('div', { class: 'map' }, el('div', { class: 'plot-head' }, keys, el('span', { class: 'controls' }, whole, save)), el('div', { class: 'lines-scroll' }, box), axis,
    el('p', { class: 'quiet' }, 'Drag over the picture to see a part of the time; point at it to see what a rank did.'));
  let map = { rows: [], end_ps: 1 }, from = 0, to = 1, left = 0, kinds = [];
  const tall = () => Math.min(MOST_ROW, Math.max(LEAST_ROW, Math.floor(TALL / Math.max(1, map.rows.length))));
  const right = () => canvas.clientWidth - 8;
  const xOf = (t) => left + ((right() - left) * (t - from)) / (to - from);
  const timeOf = (x) => from + ((to - from) * (Math.min(right(), Math.max(left, x)) - left)) / (right() - left);

  function cells(g) {
    const height = tall();
    map.rows.forEach(({ line }, row) => {
      for (let k = 0, begin = 0; k < line.length && begin < to; begin = line[k + 1], k += 2) {
        if (line[k + 1] <= from) continue;
        const x = xOf(Math.max(from, begin)), end = xOf(Math.min(to, line[k + 1]));
        g.fillStyle = callColour(line[k]);
        g.fillRect(x, row * height, Math.max(0.3, end - x), height > 6 ? height - 1 : height);
      }
    });
  }
  const rowNames = () => {
    const every = Math.ceil(LABEL / tall());
    return map.rows.flatMap((r, row) => (row % every ? [] : [{ x: left - 8, y: Math.max(LABEL / 2, (row + 0.5) * tall()), anchor: 'end', fill: css('--text'), text: fitted(r.name, left - 12), title: r.title }]));
  };
  const timeNames = (y) => ticks(from / 1000, to / 1000, Math.max(1, Math.floor((right() - left) / ROOM_FOR_TICK))).map((t) => {
    const text = shortTime(t), half = widthOf(text) / 2 + 1;
    return { x: Math.min(canvas.clientWidth - half, Math.max(half, xOf(1000 * t))), y, anchor: 'middle', fill: css('--soft'), text };
  });
  function asFile() {
    const g = new SvgContext(), height = map.rows.length * tall(), picture = svg('g', {});
    cells(g);
    const legend = legendLines(callKeys(kinds).map(([text, colour]) => ({ text, wide: 22, sample: svg('g', {}, svg('rect', { x: 0, y: 2, width: 22, height: 11, fill: colour() })) })), 8, 42, canvas.clientWidth - 16);
    picture.setAttribute('transform', `translate(0 ${36 + legend.height})`);
    picture.append(...g.nodes, ...[...rowNames(), ...timeNames(height + 10)].map((l) => words(l.x, l.y + 4, l.text, { 'font-size': 11, 'text-anchor': l.anchor, fill: l.fill })));
    return file(canvas.clientWidth, height + legend.height + ROOM_FOR_TIME + 40, [words(8, 20, title, { 'font-size': 14, 'font-weight': 600 }), ...legend.nodes, picture], title);
  }
  function draw() {
    if (!canvas.clientWidth || !map.rows.length) return;
    const dpr = devicePixelRatio || 1, height = map.rows.length * tall();
    left = Math.min(0.3 * canvas.clientWidth, map.rows.reduce((most, r) => Math.max(most, widthOf(r.name)), 0) + 14);
    canvas.width = Math.round(canvas.clientWidth * dpr);
    canvas.height = Math.round(height * dpr);
    canvas.style.height = `${height}px`;
    const g = canvas.getContext('2d');
    g.setTransform(dpr, 0, 0, dpr, 0, 0);
    cells(g);
    label(layer, canvas.clientWidth, height, rowNames());
    label(axis, canvas.clientWidth, ROOM_FOR_TIME, timeNames(10));
    whole.disabled = from <= 0 && to >= map.end_ps;
  }
  function range(a, b) {
    from = a;
    to = Math.max(b, a + LEAST_RANGE * map.end_ps);
    parts.set(title, { from, to, end: map.end_ps });
    draw();
  }

  let held = null; // where a drag began
  const place = (event) => { const at = canvas.getBoundingClientRect(); return [event.clientX - at.left, event.clientY - at.top]; };
  canvas.addEventListener('pointerdown', (event) => { if (event.button === 0) { [held] = place(event); canvas.setPointerCapture(event.pointerId); } });
  canvas.addEventListener('pointerup', (event) => {
    const [x] = place(event), [a, b] = held === null || x < held ? [x, held] : [held, x];
    if (held !== null && b - a > 4) range(timeOf(a), timeOf(b));
    held = null;
    band.hidden = true;
  });
  canvas.addEventListener('pointermove', (event) => {
    const [x, y] = place(event), row = Math.floor(y / tall());
    band.hidden = held === null;
    if (held !== null) {
      band.style.left = `${Math.min(x, held)}px`;
      band.style.width = `${Math.abs(x - held)}px`;
    }
    const segment = x >= left && map.rows[row] ? segmentAt(map.rows[row].line, timeOf(x)) : null;
    tip.hidden = !segment;
    if (!segment) return;
    const [kind, begin, end] = segment.map((v, k) => (k ? v / 1000 : v));
    tip.textContent = `${map.rows[row].title}: ${CALLS[kind][0]} ${time(end - begin)}, from ${time(begin)} to ${time(end)}`;
    tip.style.left = `${Math.max(0, Math.min(x + 14, canvas.clientWidth - 280))}px`;
    tip.style.top = `${y + 14 + 50 > map.rows.length * tall() && y > 50 ? y - 44 : y + 14}px`;
  });
  canvas.addEventListener('pointerleave', () => { tip.hidden = true; });
  new ResizeObserver(() => requestAnimationFrame(draw)).observe(node);
  onTheme(draw);
  return {
    node,
    show(next) {
      map = next;
      const used = new Set(map.rows.flatMap((r) => r.line.filter((_, k) => k % 2 === 0)));
      kinds = CALLS.map((_, kind) => kind).filter((kind) => used.has(kind));
      keys.replaceChildren(barKeys(callKeys(kinds)));
      const part = parts.get(title);
      if (part?.end === map.end_ps) range(part.from, part.to);
      else range(0, map.end_ps);
    },
  };
}
