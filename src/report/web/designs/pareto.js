// SPDX-License-Identifier: Apache-2.0
// A mark per design over two figures, and those that no other design beats in both.
import { nameWithKind } from './designfigures.js';
import { el, slug } from '../dom.js';
import { ticks } from '../lines.js';
import { file, legendLines, saves, textWidth, words } from '../saves.js';
import { svg } from '../svg.js';
import { css, onTheme, seriesColour } from '../theme.js';

const EQUAL = 5e-4; // figures that differ by less, relative to their size, are equal: they look the same in a table
const TALL = 400, FILE_WIDTH = 760, FAR = 30; // from the smallest to the largest value: beyond it the axis is logarithmic
const MARK = 8, LETTER = 14; // half the size of a mark with its halo; height of a label

export const near = (a, b) => Math.abs(a - b) <= EQUAL * Math.max(Math.abs(a), Math.abs(b));
// Whether a is at least as good as b, and whether it is better. better: 1 = more is, -1 = less is.
const asGood = (a, b, better) => near(a, b) || better * (a - b) > 0;
const isBetter = (a, b, better) => !near(a, b) && better * (a - b) > 0;

// Those that no other one beats: at least as good in both figures and better in one. Figures: { value(row), better }. Rows without
// one of them do not count. The best in the second figure first.
export function frontOf(rows, x, y) {
  const known = rows.filter((r) => Number.isFinite(x.value(r)) && Number.isFinite(y.value(r)));
  const beats = (a, b) => asGood(x.value(a), x.value(b), x.better) && asGood(y.value(a), y.value(b), y.better)
    && (isBetter(x.value(a), x.value(b), x.better) || isBetter(y.value(a), y.value(b), y.better));
  return known.filter((b) => !known.some((a) => beats(a, b))).sort((a, b) => y.better * (y.value(b) - y.value(a)) || x.better * (x.value(b) - x.value(a)));
}

// ---- marks

// Circle, square, triangle, diamond, cross, triangle on its tip, star; filled, then hollow.
const SHAPES = ['M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z', 'M-3.7 -3.7h7.4v7.4h-7.4z', 'M0 -4.6l5 8.8h-10z', 'M0 -5.4l5.4 5.4l-5.4 5.4l-5.4 -5.4z', 'M-1.6 -5h3.2v3.4h3.4v3.2h-3.4v3.4h-3.2v-3.4h-3.4v-3.2h3.4z', 'M0 4.6l5 -8.8h-10z', 'M0 -5.6l1.5 3.6l3.9 .3l-3 2.5l.9 3.8l-3.3 -2.1l-3.3 2.1l.9 -3.8l-3 -2.5l3.9 -.3z'];

// The mark of a family around (0, 0). look: { colour, shape: a number }; two families of the first fourteen differ in shape.
export function glyph({ colour, shape }) {
  const stroke = seriesColour(colour);
  return svg('path', { d: SHAPES[shape % SHAPES.length], fill: shape % (2 * SHAPES.length) < SHAPES.length ? stroke : css('--card'), stroke, 'stroke-width': 1.4, 'stroke-linejoin': 'round' });
}

// ---- axes

const LOG_STEPS = [1, 2, 5];

// Where values stand between the pixels from and to, and the values that are named: about one per `room` pixels.
function scaleOf(values, from, to, room, share) {
  let low = Math.min(...values), high = Math.max(...values);
  const most = Math.max(2, Math.floor(Math.abs(to - from) / room));
  if (low > 0 && high / low > FAR) {
    const [a, b] = [Math.log10(low) - 0.1, Math.log10(high) + 0.1];
    const all = Array.from({ length: Math.ceil(b) - Math.floor(a) + 1 }, (_, k) => 10 ** (Math.floor(a) + k)).flatMap((d) => (b - a > most / 3 ? [d] : LOG_STEPS.map((s) => s * d)));
    return { at: (v) => from + ((to - from) * (Math.log10(v) - a)) / (b - a), ticks: all.filter((v) => Math.log10(v) >= a && Math.log10(v) <= b) };
  }
  const space = 0.1 * (high - low || Math.abs(high) || 1);
  [low, high] = [low >= 0 ? Math.max(0, low - space) : low - space, high + space];
  if (share) [low, high] = [low < 0.35 ? 0 : low, Math.min(1.04, high)];
  return { at: (v) => from + ((to - from) * (v - low)) / (high - low), ticks: ticks(low, high, most) };
}

const direction = (figure) => (figure.better > 0 ? 'more is better' : 'less is better');
const nameOf = (figure, width) => {
  const text = `${nameWithKind(figure)}; ${direction(figure)}`;
  return textWidth(text) <= width ? text : textWidth(figure.name) <= width ? figure.name : `${figure.name.slice(0, Math.max(4, Math.floor((figure.name.length * width) / textWidth(figure.name)) - 1))}…`;
};

// ---- names beside marks

const PLACES = [[11, 4, 'start'], [-11, 4, 'end'], [0, -13, 'middle'], [0, 21, 'middle'], [10, -11, 'start'], [-10, -11, 'end'], [10, 19, 'start'], [-10, 19, 'end']];

const meets = (p, q) => p[0] < q[2] && q[0] < p[2] && p[1] < q[3] && q[1] < p[3];
function boxOf(x, y, wide, anchor) {
  const left = anchor === 'start' ? x : anchor === 'end' ? x - wide : x - wide / 2;
  return [left - 1, y - LETTER + 3, left + wide + 1, y + 4];
}

// Names that cover neither each other nor marks nor lines (boxes); one that finds no place is left out. spots: [{ x, y, name, weight }]
function labels(spots, frame, lines) {
  const taken = [...lines, ...spots.map((s) => [s.x - MARK, s.y - MARK, s.x + MARK, s.y + MARK])], made = [];
  for (const s of [...spots].sort((a, b) => b.weight - a.weight)) {
    const wide = textWidth(s.name, 12, s.weight > 400 ? 'bold' : '');
    for (const [dx, dy, anchor] of PLACES) {
      const box = boxOf(s.x + dx, s.y + dy, wide, anchor);
      if (box[0] < frame[0] || box[2] > frame[2] || box[1] < frame[1] || box[3] > frame[3] || taken.some((t) => meets(t, box))) continue;
      taken.push(box);
      made.push(words(s.x + dx, s.y + dy, s.name, { 'text-anchor': anchor, 'font-weight': s.weight, 'pointer-events': 'none' }));
      break;
    }
  }
  return made;
}

// ---- the picture

const HEAD = 26, FOOT = 44; // pixels for the names of the axes

// The corners of the steps between what is beaten and what is not.
const stepsOf = (front, x, y, edge, top) => [[edge, y(front[0])], ...front.flatMap((r, i) => [...(i ? [[x(front[i - 1]), y(r)]] : []), [x(r), y(r)]]), [x(front.at(-1)), top]];
const stepBoxes = (steps) => steps.slice(1).map(([x, y], i) => [Math.min(x, steps[i][0]) - 1, Math.min(y, steps[i][1]) - 1, Math.max(x, steps[i][0]) + 1, Math.max(y, steps[i][1]) + 1]);
function stepPaths(steps, edge) {
  const line = `M${steps.map((p) => p.join(' ')).join('L')}`;
  return [svg('path', { d: `${line}H${edge}Z`, fill: css('--accent-soft'), opacity: 0.55, class: 'beaten' }),
    svg('path', { d: line, fill: 'none', stroke: css('--accent'), 'stroke-width': 1.5, class: 'front' })];
}

// Nodes of the picture at this width; mark(row, x, y) makes those of a row.
function draw(spec, width, height, mark) {
  const { x, y } = spec, rows = spec.rows.filter((r) => Number.isFinite(x.value(r)) && Number.isFinite(y.value(r)));
  if (!rows.length) return [words(8, 40, 'No design has both figures.', { fill: css('--soft') })];
  const bottom = height - FOOT, ys = scaleOf(rows.map(y.value), bottom, HEAD, 46, y.share);
  const left = 14 + Math.max(...ys.ticks.map((t) => textWidth(y.tick(t)))), right = width - 6;
  const xs = scaleOf(rows.map(x.value), left, right, 84, x.share), at = [(r) => xs.at(x.value(r)), (r) => ys.at(y.value(r))];
  const grid = [...ys.ticks.flatMap((t) => [svg('line', { x1: left, x2: right, y1: ys.at(t), y2: ys.at(t), stroke: css('--rule') }), words(left - 8, ys.at(t) + 4, y.tick(t), { 'text-anchor': 'end', fill: css('--soft') })]),
    ...xs.ticks.flatMap((t) => {
      const half = textWidth(x.tick(t)) / 2;
      return [svg('line', { x1: xs.at(t), x2: xs.at(t), y1: HEAD, y2: bottom, stroke: css('--rule') }), words(Math.min(width - half - 1, xs.at(t)), bottom + 17, x.tick(t), { 'text-anchor': 'middle', fill: css('--soft') })];
    })];
  const front = frontOf(rows, x, y), edge = x.better > 0 ? left : right, steps = stepsOf(front, ...at, edge, HEAD);
  const spots = rows.map((r) => ({ x: at[0](r), y: at[1](r), name: r.name, weight: front.includes(r) ? 700 : 400 }));
  return [...grid, words(0, 12, nameOf(y, width), { fill: css('--soft') }), words((left + right) / 2, height - 6, nameOf(x, right - left), { 'text-anchor': 'middle', fill: css('--soft') }),
    ...stepPaths(steps, edge), ...labels(spots, [left, HEAD, right, bottom], stepBoxes(steps)), ...rows.map((r, i) => mark(r, spots[i].x, spots[i].y))];
}

// The mark of a design: as in the key, with a ring around those that are compared.
function markOf(spec, row, x, y) {
  const look = glyph(row.look);
  look.setAttribute('transform', 'scale(1.25)');
  const ring = spec.chosen.has(row.key);
  return svg('g', { transform: `translate(${x} ${y})`, class: 'mark' }, svg('circle', { r: MARK + 1.5, class: 'halo', fill: 'transparent', stroke: ring ? css('--text') : 'none', 'stroke-width': 1.2, 'stroke-dasharray': '2.5 2' }), look);
}

// spec: { label, x, y: figures of figuresOf(), rows: [{ key, name, look: of glyph() }], chosen: Set of keys,
// tell(row): lines of what is said of it, choose(key) }. Returns { node, save, update(spec) }.
export function pareto(spec) {
  const canvas = svg('svg', { class: 'scatter', role: 'group' }), tip = el('div', { class: 'tip', hidden: true });
  const box = el('div', { class: 'fabric-box' }, canvas, tip);
  const save = saves(() => slug(spec.label), () => {
    const key = (look) => { const at = glyph(look); at.setAttribute('transform', 'translate(8 7)'); return svg('g', {}, at); };
    const legend = legendLines(spec.rows.map((r) => ({ text: r.name, wide: 16, sample: key(r.look) })), 8, 42, FILE_WIDTH - 16);
    const inner = svg('g', { transform: `translate(8 ${36 + legend.height})` }, ...draw(spec, FILE_WIDTH - 16, TALL, (...a) => markOf(spec, ...a)));
    return file(FILE_WIDTH, 44 + legend.height + TALL, [words(8, 20, spec.label, { 'font-size': 14, 'font-weight': 600 }), ...legend.nodes, inner], spec.label);
  });
  const show = (row, x, y) => {
    tip.replaceChildren(el('strong', {}, row.name), ...spec.tell(row).map((t) => el('div', {}, t)));
    tip.hidden = false;
    tip.style.left = `${Math.max(0, Math.min(x + 14, box.clientWidth - tip.offsetWidth - 4))}px`;
    tip.style.top = `${Math.max(0, y + 16 + tip.offsetHeight > box.clientHeight ? y - tip.offsetHeight - 12 : y + 16)}px`;
  };
  const hide = () => { tip.hidden = true; };
  function live(row, x, y) {
    const node = markOf(spec, row, x, y);
    const toggle = () => { spec.choose(row.key); [...canvas.querySelectorAll('.mark')].find((m) => m.dataset.key === row.key)?.focus(); };
    for (const [key, value] of Object.entries({ tabindex: 0, role: 'button', 'data-key': row.key, 'aria-pressed': String(spec.chosen.has(row.key)), 'aria-label': `${row.name}: ${spec.tell(row).join('; ')}` })) node.setAttribute(key, value);
    for (const [event, act] of [['pointerenter', () => show(row, x, y)], ['pointerleave', hide], ['focus', () => show(row, x, y)], ['blur', hide], ['click', toggle]]) node.addEventListener(event, act);
    node.addEventListener('keydown', (e) => {
      if (e.key === 'Enter' || e.key === ' ') { e.preventDefault(); toggle(); }
      if (e.key === 'Escape') hide();
    });
    return node;
  }
  let width = 0;
  const paint = () => {
    width = box.clientWidth;
    if (!width) return;
    hide();
    for (const [key, value] of Object.entries({ width, height: TALL, viewBox: `0 0 ${width} ${TALL}`, 'aria-label': spec.label })) canvas.setAttribute(key, value);
    save.name(spec.label);
    canvas.replaceChildren(...draw(spec, width, TALL, live));
  };
  new ResizeObserver(() => requestAnimationFrame(() => { if (box.clientWidth !== width) paint(); })).observe(box);
  onTheme(paint);
  return { node: box, save, update(next) { spec = next; paint(); } };
}
