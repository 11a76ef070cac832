// SPDX-License-Identifier: Apache-2.0
// Pictures as files: SVG and PNG, in the light colours, on white, whatever the page looks like.
import { download, el } from './dom.js';
import { svg } from './svg.js';
import { css, DASHES, inLight, rampColour, seriesColour } from './theme.js';

export const FONT = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', Arial, sans-serif"; // no double quotes: they end attributes
const LINE = 18, GAP = 14, MARGIN = 8;

// PNG of an SVG text, at 300 dots per inch.
export function savePng(name, text) {
  const image = new Image();
  const url = URL.createObjectURL(new Blob([text], { type: 'image/svg+xml' }));
  image.onload = () => {
    const scale = 300 / 96;
    const canvas = el('canvas', { width: Math.round(image.width * scale), height: Math.round(image.height * scale) });
    canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
    URL.revokeObjectURL(url);
    canvas.toBlob((blob) => download(`${name}.png`, blob, 'image/png'));
  };
  image.src = url;
}

// Buttons that save what `make` draws: the text of an SVG file. name: of the file, a function.
export function saves(name, make) {
  const text = () => inLight(make);
  const button = (ending, save) => {
    const made = el('button', { type: 'button', class: 'save', 'data-save': ending, title: `save this picture as ${ending.toUpperCase()}`, onclick: () => save(text()) }, ending.toUpperCase());
    made.savedText = text;
    return made;
  };
  const node = el('span', { class: 'saves' }, button('svg', (t) => download(`${name()}.svg`, t, 'image/svg+xml')), button('png', (t) => savePng(name(), t)));
  // The names of the buttons say what they save: there are many of them on the page.
  node.name = (what) => node.querySelectorAll('button').forEach((b) => b.setAttribute('aria-label', `save ${what} as ${b.dataset.save.toUpperCase()}`));
  return node;
}

// ---- parts of a file

const pen = document.createElement('canvas').getContext('2d');
export function textWidth(text, size = 12, weight = '') {
  pen.font = `${weight} ${size}px ${FONT}`;
  return pen.measureText(text).width;
}
export const words = (x, y, text, props = {}) => svg('text', { x, y, 'font-size': 12, fill: css('--text'), ...props }, text);

// A file of this size with these nodes; the file names its colours and fonts itself.
export function file(width, height, nodes, label = '') {
  const root = svg('svg', { width: Math.ceil(width), height: Math.ceil(height), viewBox: `0 0 ${Math.ceil(width)} ${Math.ceil(height)}`, 'font-family': FONT },
    ...(label ? [svg('title', {}, label)] : []), svg('rect', { width: '100%', height: '100%', fill: '#ffffff' }), ...nodes);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(root)}\n`;
}

const MARK_PATHS = ['M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0', 'M-3.5 -3.5h7v7h-7z', 'M0 -4l4.5 8h-9z', 'M0 -4.5l4.5 4.5l-4.5 4.5l-4.5 -4.5z'];
// The sample of a line in a legend, 30 by 14: colour -1: any, dash or symbol -1: none.
export function sample({ colour = -1, dash = 0, symbol = -1, past = false }) {
  const stroke = colour < 0 ? css('--text') : seriesColour(colour);
  const group = svg('g', {});
  if (dash >= 0) group.append(svg('line', { x1: 0, x2: 30, y1: 7, y2: 7, stroke, 'stroke-width': 2, 'stroke-dasharray': DASHES[dash % DASHES.length].join(' ') }));
  if (symbol >= 0) group.append(svg('path', { d: MARK_PATHS[symbol % 4], transform: `translate(15 7)${past ? ' scale(1.15)' : ''}`, fill: past || symbol >= 4 ? css('--card') : stroke, stroke, 'stroke-width': past ? 1.8 : 1 }));
  return group;
}

// Legend entries { sample, text, first: of a line } in lines of at most `width`: { nodes, height }, from (x, y) on.
export function legendLines(entries, x, y, width) {
  const nodes = [];
  let left = x, top = y;
  for (const { sample: node, text, wide = 30, first = false } of entries) {
    const need = (node ? wide + 7 : 0) + textWidth(text) + GAP;
    if (left > x && (first || left + need > x + width)) { left = x; top += LINE; }
    if (node) { node.setAttribute('transform', `translate(${left} ${top - 11})`); nodes.push(node); }
    nodes.push(words(left + (node ? wide + 7 : 0), top, text));
    left += need;
  }
  return { nodes, height: entries.length ? top - y + LINE : 0 };
}

// A file with a title, a legend and a picture below: svgText has its own root.
export function composed(title, entries, width, svgText, height) {
  const head = title ? [words(MARGIN, 20, title, { 'font-size': 14, 'font-weight': 600 })] : [];
  const legend = legendLines(entries, MARGIN, title ? 42 : 20, width - 2 * MARGIN), top = (title ? 30 : 8) + legend.height;
  const parsed = new DOMParser().parseFromString(svgText, 'image/svg+xml');
  if (parsed.querySelector('parsererror')) throw new Error('the plot gives no SVG');
  const inner = document.importNode(parsed.documentElement, true);
  inner.setAttribute('y', top);
  inner.querySelectorAll('style, script').forEach((n) => n.remove());
  inner.querySelectorAll('[class]').forEach((n) => n.removeAttribute('class'));
  return file(width, top + height + MARGIN, [...head, ...legend.nodes, inner], title);
}

// The ramp of colours with its two ends, from (x, y) on.
export function rampLegend(x, y, low, high) {
  const left = x + textWidth(low) + 6, steps = 48, wide = 200;
  return [words(x, y + 10, low), ...Array.from({ length: steps }, (_, i) => svg('rect', { x: left + (i * wide) / steps, y, width: wide / steps + 0.5, height: 12, fill: rampColour(i / (steps - 1)) })), words(left + wide + 6, y + 10, high)];
}

// ---- canvases as files: what is drawn on such a context becomes SVG

export class SvgContext {
  constructor() {
    this.nodes = [];
    this.path = '';
    this.dash = [];
    this.globalAlpha = 1;
    this.lineWidth = 1;
    this.fillStyle = this.strokeStyle = '#000';
  }
  beginPath() { this.path = ''; }
  closePath() { this.path += 'Z'; }
  moveTo(x, y) { this.path += `M${num(x)} ${num(y)}`; }
  lineTo(x, y) { this.path += `L${num(x)} ${num(y)}`; }
  quadraticCurveTo(cx, cy, x, y) { this.path += `Q${num(cx)} ${num(cy)} ${num(x)} ${num(y)}`; }
  arc(x, y, r) { this.path += `M${num(x - r)} ${num(y)}a${num(r)} ${num(r)} 0 1 0 ${num(2 * r)} 0a${num(r)} ${num(r)} 0 1 0 ${num(-2 * r)} 0`; }
  roundRect(x, y, w, h) { this.path += `M${num(x)} ${num(y)}h${num(w)}v${num(h)}h${num(-w)}z`; }
  setLineDash(dash) { this.dash = dash; }
  fill() { this.nodes.push(svg('path', { d: this.path, fill: this.fillStyle, opacity: this.globalAlpha })); }
  stroke() { this.nodes.push(svg('path', { d: this.path, fill: 'none', stroke: this.strokeStyle, 'stroke-width': num(this.lineWidth), opacity: this.globalAlpha, ...(this.dash.length ? { 'stroke-dasharray': this.dash.join(' ') } : {}) })); }
  fillRect(x, y, w, h) { this.nodes.push(svg('rect', { x: num(x), y: num(y), width: num(w), height: num(h), fill: this.fillStyle })); }
}
const num = (x) => +x.toFixed(2);
