// SPDX-License-Identifier: Apache-2.0
// Rows of named bars over one axis: each bar consists of parts, each with its place, colour and words.
import { el } from './dom.js';
import { onTheme } from './theme.js';

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

// spec: { label, axis: text, format(value), max, rows: [{ name, title, value: text, at, ci, none, parts: [{ from, to, colour(), title }] }] }.
// Returns { node, update(spec) }.
export function bars(spec) {
  const node = el('div', { class: 'bars', role: 'img' });
  const draw = () => {
    const max = spec.max || 1, ticks = ticksOf(max);
    node.setAttribute('aria-label', spec.label);
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
    node.replaceChildren(...rows, el('div', { class: 'bar-name' }), axis, el('div', { class: 'bar-value' }));
  };
  draw();
  onTheme(draw);
  return { node, update(next) { spec = next; draw(); } };
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
