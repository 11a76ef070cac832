// SPDX-License-Identifier: Apache-2.0
// Small helpers to build the page. Text is always set as text: names from dumps are never markup.
import * as state from './state.js';

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

export const card = (...children) => el('div', { class: 'card' }, ...children);
export const slug = (text) => text.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');

// Options: [value, text, whole text where that one is shortened]. On paper the chosen option stands as text.
export function select(label, options, onchange, value) {
  const chosen = el('span', { class: 'printed' });
  const list = el('select', { onchange: (e) => { say(); onchange(e.target.value); }, 'aria-label': label },
    options.map(([v, text, whole]) => el('option', { value: v, title: whole }, text)));
  const say = () => { chosen.textContent = list.selectedOptions[0]?.textContent ?? ''; list.title = list.selectedOptions[0]?.title ?? ''; };
  if (value !== undefined) list.value = value;
  say();
  return el('label', { class: 'control' }, el('span', {}, label), list, chosen);
}

// A choice whose value stands in the address under `key`. Returns { node, value } with what is chosen now.
export function choose(label, key, options, usual, onchange) {
  const values = options.map(([v]) => v);
  const made = { value: state.choice(key, values, usual) };
  made.node = select(label, options, (v) => {
    made.value = values.find((x) => String(x) === v);
    state.set(key, v, usual);
    onchange(made.value);
  }, made.value);
  return made;
}

export function download(name, text, type = 'text/csv') {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = el('a', { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
