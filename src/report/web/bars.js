// SPDX-License-Identifier: Apache-2.0
// Rows of named bars over one axis: each bar consists of parts, each with its place, colour and words.
import { el, slug } from './dom.js';
import { file, legendLines, saves, textWidth, words } from './saves.js';
import { svg } from './svg.js';
import { css, onTheme } from './theme.js';

// Round values from 0 to at most `max`, three to six of them.
function ticksOf(max) {
  if (!(max > 0)) return [0];
  const rough = max / 5, scale = 10 ** Math.floor(Math.log10(rough));
  const step = scale * [1, 2, 2.5, 5, 10].find((s) => s * scale >= rough);
  return Array.from({ length: Math.floor(max / step + 1e-9) + 1 }, (_, k) => k * step);
}

const place = (node, from, to) => { node.style.left = `${100 * from}%`; node.style.width = `${100 * Math.max(0, to - from)}%`; return node; };

function part(p, max) {
  const node = place(el('span', { class: 'bar-part', title: p.title }), p.from / max, p.to / max);
  node.style.background = p.colour();
  return node;
}

// Half the width of a confidence interval, around the bar's end.
function whisker(at, ci, max) {
  const from = Math.max(0, at - ci) / max, to = Math.min(max, at + ci) / max;
  return place(el('span', { class: 'bar-whisker' }), from, to);
}

// ---- as a file

const ROW = 26, TRACK = 420;
const plainText = (value) => [value].flat(Infinity).filter(Boolean).map((v) => (v instanceof Node ? v.textContent : String(v))).join('');
const fitting = (text, room) => { let t = text; while (t.length > 4 && textWidth(t) > room) t = `${t.slice(0, -2)}…`.replace('……', '…'); return t; };

function fileOf(spec, keys) {
  const max = spec.max || 1, ticks = ticksOf(max), at = (v) => (TRACK * v) / max;
  const names = Math.min(330, Math.max(60, ...spec.rows.map((r) => textWidth(r.name)))), values = Math.max(40, ...spec.rows.map((r) => textWidth(plainText(r.value))));
  const left = names + 20, width = left + TRACK + 14 + values + 8, nodes = [words(8, 20, spec.label, { 'font-size': 14, 'font-weight': 600 })];
  const legend = legendLines(keys.map(([text, colour]) => ({ text, wide: 22, sample: svg('g', {}, svg('rect', { x: 0, y: 2, width: 22, height: 11, fill: colour() })) })), 8, 42, width - 16);
  const top = 32 + legend.height, bottom = top + ROW * spec.rows.length;
  nodes.push(...legend.nodes, ...ticks.flatMap((t, k) => [svg('line', { x1: left + at(t), x2: left + at(t), y1: top, y2: bottom, stroke: css('--rule') }),
    words(left + at(t), bottom + 16, spec.format(t), { fill: css('--soft'), 'text-anchor': k === 0 ? 'start' : t > 0.92 * max ? 'end' : 'middle' })]));
  spec.rows.forEach((r, i) => {
    const y = top + i * ROW;
    nodes.push(words(left - 10, y + 17, fitting(r.name, names), { 'text-anchor': 'end' }),
      ...r.parts.filter((p) => p.to > p.from).map((p) => svg('rect', { x: left + at(p.from), y: y + 3, width: Math.max(0.5, at(p.to - p.from)), height: 20, fill: p.colour() })),
      words(left + TRACK + 12, y + 17, plainText(r.value), { fill: r.none ? css('--bad') : css('--text') }));
    if (r.ci > 0) {
      const from = left + at(Math.max(0, r.at - r.ci)), to = left + at(Math.min(max, r.at + r.ci));
      nodes.push(svg('path', { d: `M${from} ${y + 8}v10m0 -5H${to}m0 -5v10`, fill: 'none', stroke: css('--text'), 'stroke-width': 1.5 }));
    }
  });
  return file(width, bottom + 42, [...nodes, words(left + TRACK / 2, bottom + 34, spec.axis, { fill: css('--soft'), 'text-anchor': 'middle' })], spec.label);
}

// spec: { label, axis: text, format(value), max, rows: [{ name, title, value: text, at, ci, none, parts: [{ from, to, colour(), title }] }] };
// keys: what the colours mean, as barKeys() takes them. Returns { node, save, update(spec) };
// save: the buttons, which may be put elsewhere.
export function bars(spec, keys = []) {
  const chart = el('div', { class: 'bars', role: 'img' });
  const save = saves(() => slug(spec.label), () => fileOf(spec, keys));
  const node = el('div', { class: 'bars-box' }, chart, save);
  const draw = () => {
    const max = spec.max || 1, ticks = ticksOf(max);
    chart.setAttribute('aria-label', spec.label);
    save.name(spec.label);
    const rows = spec.rows.flatMap((r) => {
      const track = el('div', { class: 'bar-track' }, ticks.map((t) => { const line = el('span', { class: 'bar-line' }); line.style.left = `${(100 * t) / max}%`; return line; }),
        r.parts.filter((p) => p.to > p.from).map((p) => part(p, max)), r.ci > 0 && whisker(r.at, r.ci, max));
      return [el('div', { class: 'bar-name', title: r.title }, r.name), track, el('div', { class: r.none ? 'bar-value no' : 'bar-value' }, r.value)];
    });
    const axis = el('div', { class: 'bar-axis' }, ticks.map((t, k) => {
      const text = el('span', { class: k === 0 ? 'first' : t > 0.92 * max ? 'last' : '' }, spec.format(t));
      text.style.left = `${(100 * t) / max}%`;
      return text;
    }), el('em', {}, spec.axis));
    chart.replaceChildren(...rows, el('div', { class: 'bar-name' }), axis, el('div', { class: 'bar-value' }));
  };
  draw();
  onTheme(draw);
  return { node, save, update(next) { spec = next; draw(); } };
}

// What the colours mean: [[words, colour()]].
export function barKeys(keys) {
  const node = el('div', { class: 'keys' });
  const draw = () => node.replaceChildren(...keys.map(([words, colour]) => {
    const swatch = el('span', { class: 'bar-swatch' });
    swatch.style.background = colour();
    return el('span', { class: 'key' }, swatch, words);
  }));
  draw();
  onTheme(draw);
  return node;
}
