// SPDX-License-Identifier: Apache-2.0
// Designs beside each other: a column for each, the best figure of a row in bold.
import { shown } from './designfigures.js';
import { el } from '../dom.js';
import { percent } from '../format.js';
import { near } from './pareto.js';

// By how much a figure is away from the best of its row: '' where it is that one.
function away(f, value, best) {
  if (!f.better || !Number.isFinite(value) || !Number.isFinite(best) || best === 0 || near(value, best)) return '';
  const part = value / best - 1;
  return `${part > 0 ? '+' : '−'}${Math.abs(part) >= 10 ? `${(1 + part).toFixed(0)}×`.replace('+', '') : percent(Math.abs(part))}`;
}

function figureRow(f, chosen) {
  const values = chosen.map((m) => f.value(m)), known = values.filter(Number.isFinite);
  const best = f.better > 0 ? Math.max(...known) : Math.min(...known);
  return el('tr', { 'data-figure': f.key }, el('th', { scope: 'row', title: f.how }, f.name, el('span', { class: 'kind' }, f.kind)),
    chosen.map((m, i) => {
      const delta = away(f, values[i], best), isBest = f.better && known.length > 1 && Number.isFinite(values[i]) && near(values[i], best) && known.some((v) => !near(v, best));
      return el('td', { class: isBest ? 'number best' : 'number' }, shown(f, m), delta && el('span', { class: 'delta' }, delta));
    }));
}

// Returns { node, update(chosen) }.
export function comparisonTable(figures, texts) {
  const node = el('div', { class: 'comparison' });
  const update = (chosen) => {
    if (chosen.length < 2) {
      node.replaceChildren(el('p', { class: 'quiet' }, 'Choose at least two designs.'));
      return;
    }
    const rows = figures.filter((f) => chosen.some((m) => Number.isFinite(f.value(m))));
    node.replaceChildren(el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'designs in columns' }, el('table', {},
      el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'figure'), chosen.map((m) => el('th', { scope: 'col', class: 'number' }, m.series)))),
      el('tbody', {}, rows.map((f) => figureRow(f, chosen)), texts.map(([name, text]) => el('tr', {}, el('th', { scope: 'row' }, name), chosen.map((m) => el('td', { class: 'number spec' }, text(m)))))))),
    el('p', { class: 'quiet' }, 'Bold: the best of those that are chosen; below other figures stands by how much they are away from it.'));
  };
  return { node, update };
}
