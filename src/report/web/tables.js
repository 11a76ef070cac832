// SPDX-License-Identifier: Apache-2.0
// Tables that can be sorted, searched and saved; what was chosen stands in the address.
import { download, el } from './dom.js';
import { count, plural } from './format.js';
import * as state from './state.js';

const LIMIT = 200; // rows that are shown at first
const LIMIT_OF_ALL = 1000; // the same with #numbers, which opens every table
const whole = new Set(); // tables of which all rows are shown

const field = (value) => {
  const text = value === null || value === undefined ? '' : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

// Columns: [{ key, name, title?, kind?, text?(row), whole?(row), number?, csv?, order?(row) }]; csv: in the CSV file only; title: what the
// column means; kind: how its values were obtained; whole: what a shortened text stands for; order: what rows are sorted by, where that is not the value.
export function csvOf(columns, rows) {
  return [columns.map((c) => field(c.key)).join(','), ...rows.map((r) => columns.map((c) => field(r[c.key])).join(','))].join('\n') + '\n';
}

const shownText = (c, row) => (c.text ? c.text(row) : row[c.key]);
const plain = (x) => (x instanceof Node ? x.textContent : x === null || x === undefined ? '' : String(x));

// Numbers before texts, what is missing last in either direction.
function compare(a, b, sign) {
  const none = (x) => x === null || x === undefined || x === '' || Number.isNaN(x);
  if (none(a) || none(b)) return none(a) - none(b);
  if (typeof a === 'number' && typeof b === 'number') return sign * (a - b);
  return sign * String(a).localeCompare(String(b), 'en', { numeric: true });
}

function sorted(rows, column, down) {
  const value = column.order ?? ((r) => r[column.key]);
  return rows.map((r, i) => [r, i]).sort(([a, i], [b, j]) => compare(value(a), value(b), down ? -1 : 1) || i - j).map(([r]) => r);
}

export function csvButton(name, text) {
  const button = el('button', { type: 'button', class: 'save', 'data-csv': name, 'aria-label': `save ${name} as CSV`, title: 'save all rows as CSV', onclick: () => download(`${name}.csv`, text()) }, 'CSV');
  button.csvText = text;
  return button;
}

// name: of the CSV file, and of the table in the address. Returns its node, with update(columns, rows).
export function table(name, all, given, options = {}) {
  const { limit = LIMIT, csv = () => csvOf(columns, rows), save = true } = options;
  let columns = all, rows = given, most = whole.has(name) ? Infinity : state.section() === 'numbers' ? Math.max(limit, LIMIT_OF_ALL) : limit;
  const sortKey = `sort.${name}`, filterKey = `filter.${name}`;
  let sort = state.get(sortKey);
  const head = el('tr'), body = el('tbody'), more = el('p', { class: 'quiet' });
  const found = el('output', { class: 'found' });
  const filter = el('input', { type: 'search', class: 'filter', placeholder: 'filter rows', 'aria-label': `filter rows of ${name}`, value: state.get(filterKey), oninput: () => { state.set(filterKey, filter.value); most = limit; fill(); } });

  const header = (c) => {
    const way = sort === c.key ? 'ascending' : sort === `-${c.key}` ? 'descending' : undefined;
    const button = el('button', { type: 'button', class: 'sort', title: c.title, onclick: () => {
      sort = way === 'ascending' ? `-${c.key}` : way === 'descending' ? '' : c.key;
      state.set(sortKey, sort);
      fill();
      [...head.querySelectorAll('th')].find((th) => th.dataset.key === c.key)?.firstChild.focus();
    } }, c.name, el('span', { class: 'way', 'aria-hidden': true }, way === 'ascending' ? '▲' : way === 'descending' ? '▼' : ''));
    return el('th', { scope: 'col', class: [c.number ? 'number' : '', c.screen ? 'screen' : ''].join(' ').trim() || undefined, 'aria-sort': way, 'data-key': c.key }, button, c.kind && el('span', { class: 'kind' }, c.kind));
  };
  const cell = (c, row) => {
    const text = shownText(c, row), whole = c.whole?.(row);
    return el('td', { class: [c.number ? 'number' : '', c.screen ? 'screen' : '', c.class ? c.class(row) : ''].join(' ').trim() || undefined, title: whole && whole !== plain(text) ? whole : undefined }, text);
  };
  // Every word stands somewhere in the row, in its shown or in its whole text.
  function kept(shown) {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length) return rows;
    return rows.filter((r) => {
      const text = shown.map((c) => `${plain(shownText(c, r))} ${c.whole?.(r) ?? ''}`).join(' ').toLowerCase();
      return words.every((w) => text.includes(w));
    });
  }
  function fill() {
    const shown = columns.filter((c) => !c.csv);
    const column = shown.find((c) => c.key === sort.replace(/^-/, ''));
    const match = kept(shown), ordered = column ? sorted(match, column, sort.startsWith('-')) : match;
    head.replaceChildren(...shown.map(header));
    body.replaceChildren(...ordered.slice(0, most).map((row) => el('tr', {}, shown.map((c) => cell(c, row)))));
    found.textContent = filter.value.trim() ? `${count(match.length)} of ${plural(rows.length, 'row')}` : '';
    more.hidden = ordered.length <= most;
    more.replaceChildren(`The first ${count(most)} of ${count(ordered.length)} rows. `, el('button', { type: 'button', onclick: () => { whole.add(name); most = Infinity; fill(); } }, 'Show all'));
  }
  const tools = el('div', { class: 'table-tools' }, rows.length > 1 || options.changes ? [filter, found] : null, save && csvButton(name, csv));
  const node = el('div', { class: 'table', 'data-table': name }, tools, el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': `table ${name}` }, el('table', {}, el('thead', {}, head), body)), more);
  node.update = (nextColumns, nextRows) => { columns = nextColumns; rows = nextRows; fill(); };
  fill();
  return node;
}

// The numbers behind a plot: a table that opens, and their CSV. `source` gives { columns, rows } for what is shown now.
// save: buttons that save the plot.
export function numbers(name, source, csvText = null, save = null) {
  const body = el('div', { class: 'numbers-body' });
  const open = () => state.list('open');
  const details = el('details', { class: 'numbers', 'data-numbers': name, open: open().includes(name) }, el('summary', {}, 'Numbers'), body);
  let made = null;
  const fill = () => {
    if (!details.open) return;
    const { columns, rows } = source();
    if (made) made.update(columns, rows);
    else body.replaceChildren(made = table(name, columns, rows, { save: false, changes: true }));
  };
  details.addEventListener('toggle', () => {
    if (state.section() !== 'numbers') state.set('open', [...new Set([...open().filter((n) => n !== name), ...(details.open ? [name] : [])])].join(' '));
    fill();
  });
  const box = el('div', { class: 'numbers-box' }, details, save, csvButton(name, () => (csvText ? csvText() : csvOf(source().columns, source().rows))));
  box.refresh = fill;
  fill();
  return box;
}
