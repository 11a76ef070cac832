// SPDX-License-Identifier: Apache-2.0
// A field that finds hosts and switches by their name or number, with completion.
import { el } from './dom.js';
import { shortNames } from './names.js';

const MOST = 30; // names that are offered
let fields = 0;

// "host 5", "switch 3", "h5", "s3"; a number alone is a host's.
function byNumber(drawing, text) {
  const m = text.match(/^(host|switch|h|s)?\s*(\d+)$/i);
  if (!m) return -1;
  const isSwitch = (m[1] ?? 'h')[0].toLowerCase() === 's', number = Number(m[2]);
  return number < (isSwitch ? drawing.switches : drawing.hosts) ? number + (isSwitch ? 0 : drawing.switches) : -1;
}

export const kindOf = (drawing, n) => (n < drawing.switches ? `switch ${n}` : `host ${n - drawing.switches}`);
// "leaf-0 (switch 3)"; a name that says it already stands alone.
export function describeNode(drawing, n) {
  const name = shortNames(drawing)[n], kind = kindOf(drawing, n);
  return !name || name === kind || name === kind.replace(' ', '') ? kind : `${name} (${kind})`;
}

// The node that a text means, -1 where it means none: its name, its short name, its number, the first name that begins or goes on so.
export function findNode(drawing, text, hostsOnly = false) {
  const sought = text.trim().toLowerCase(), first = hostsOnly ? drawing.switches : 0, short = shortNames(drawing);
  if (!sought) return -1;
  const where = (test) => { for (let n = first; n < drawing.names.length; n++) if (test(n)) return n; return -1; };
  const numbered = byNumber(drawing, sought), tests = [
    (n) => drawing.names[n].toLowerCase() === sought, (n) => short[n].toLowerCase() === sought, (n) => describeNode(drawing, n).toLowerCase() === sought,
    (n) => n === numbered, (n) => drawing.names[n].toLowerCase().startsWith(sought), (n) => drawing.names[n].toLowerCase().includes(sought)];
  for (const test of tests) { const n = where(test); if (n >= 0) return n; }
  return -1;
}

// onfind(node or -1) is called when a name is complete. Returns { node, show(drawing, number) }.
export function finder(label, hostsOnly, onfind) {
  const id = `names-${++fields}`, list = el('datalist', { id });
  let drawing = null, told = '';
  const offer = () => {
    const sought = input.value.trim().toLowerCase(), names = [];
    for (let n = hostsOnly ? drawing.switches : 0; n < drawing.names.length && names.length < MOST; n++) {
      const text = describeNode(drawing, n);
      if (text.toLowerCase().includes(sought) || drawing.names[n].toLowerCase().includes(sought)) names.push(text);
    }
    list.replaceChildren(...names.map((text) => el('option', { value: text })));
  };
  const done = () => {
    if (input.value === told) return;
    told = input.value;
    onfind(input.value.trim() ? findNode(drawing, input.value, hostsOnly) : null);
  };
  const input = el('input', { type: 'search', class: 'finder', list: id, 'aria-label': label, placeholder: hostsOnly ? 'name or number' : 'name, host 5, switch 3', autocomplete: 'off',
    onfocus: offer, onchange: done, onsearch: done, onkeydown: (e) => { if (e.key === 'Enter') done(); },
    oninput: () => { offer(); if ([...list.children].some((o) => o.value === input.value)) done(); } });
  return {
    node: el('label', { class: 'control' }, el('span', {}, label), input, list),
    show(next, n) { drawing = next; told = input.value = n === null ? '' : describeNode(drawing, n); },
  };
}
