// SPDX-License-Identifier: Apache-2.0
// Small helpers to build the page. Text is always set as text: names from dumps are never markup.

export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else if (key === 'class') node.className = value;
    else if (key === 'value') node.value = value;
    else node.setAttribute(key, value === true ? '' : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}

// On paper the chosen option stands as text.
export function select(label, options, onchange, value) {
  const chosen = el('span', { class: 'printed' });
  const list = el('select', { onchange: (e) => { say(); onchange(e.target.value); }, 'aria-label': label },
    options.map(([v, text]) => el('option', { value: v }, text)));
  const say = () => { chosen.textContent = list.selectedOptions[0]?.textContent ?? ''; };
  if (value !== undefined) list.value = value;
  say();
  return el('label', { class: 'control' }, el('span', {}, label), list, chosen);
}

const field = (value) => {
  const text = value === null || value === undefined ? '' : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

// Columns: [{ key, name, text?(row), number?, csv? }]; csv: in the CSV file only.
export function csvOf(columns, rows) {
  return [columns.map((c) => field(c.key)).join(','), ...rows.map((r) => columns.map((c) => field(r[c.key])).join(','))].join('\n') + '\n';
}

export function download(name, text, type = 'text/csv') {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = el('a', { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

export function table(all, rows, limit = 500) {
  const columns = all.filter((c) => !c.csv);
  const shown = rows.slice(0, limit);
  const body = shown.map((row) => el('tr', {}, columns.map((c) => {
    const text = c.text ? c.text(row) : row[c.key];
    return el('td', { class: [c.number ? 'number' : '', c.class ? c.class(row) : ''].join(' ').trim() || undefined }, text);
  })));
  return el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'table' },
    el('table', {},
      el('thead', {}, el('tr', {}, columns.map((c) => el('th', { scope: 'col', class: c.number ? 'number' : undefined }, c.name)))),
      el('tbody', {}, body)),
    rows.length > limit && el('p', { class: 'quiet' }, `The CSV file holds ${rows.length - limit} more row${rows.length - limit > 1 ? 's' : ''}.`));
}

// The CSV of a table that stands in the page anyway.
export function numbersOnlyCsv(name, columns, rows) {
  const box = numbers(name, () => ({ columns, rows }));
  box.querySelector('details').remove();
  return box;
}

// The numbers behind a plot: a table that opens, and their CSV. `source` gives { columns, rows } for what is shown now.
export function numbers(name, source, csvText) {
  const body = el('div', { class: 'numbers-body' });
  const details = el('details', { class: 'numbers' }, el('summary', {}, 'Numbers'), body);
  const fill = () => {
    if (!details.open) return;
    const { columns, rows } = source();
    body.replaceChildren(table(columns, rows));
  };
  details.addEventListener('toggle', fill);
  const button = el('button', {
    type: 'button', class: 'csv', 'data-csv': name,
    onclick: () => download(`${name}.csv`, csvText ? csvText() : csvOf(source().columns, source().rows)),
  }, 'CSV');
  button.csvText = () => (csvText ? csvText() : csvOf(source().columns, source().rows));
  const box = el('div', { class: 'numbers-box' }, details, button);
  box.refresh = fill;
  return box;
}
