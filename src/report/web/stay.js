// SPDX-License-Identifier: Apache-2.0
// What the reader sees, has opened and does at a moment, found again when the page is drawn anew. What was chosen stands in the address.

let pointer = null; // where it is, over the page
addEventListener('pointermove', (e) => { if (e.isTrusted) pointer = { x: e.clientX, y: e.clientY }; }, { passive: true, capture: true });
document.addEventListener('pointerleave', () => { pointer = null; });

const all = (kind) => [...document.querySelectorAll(`main ${kind}`)];
// By its section, its table and what it is: new points may make new sections, and other parts of the same kind come behind it.
const nameOf = (n) => [n.closest('main > *').id, n.closest('[data-table]')?.dataset.table, n.localName, n.getAttribute('aria-label') ?? n.className].join('|');
function placeOf(node) {
  const name = nameOf(node), nth = all(node.localName).filter((n) => nameOf(n) === name).indexOf(node);
  return () => (node.isConnected ? node : all(node.localName).filter((n) => nameOf(n) === name)[nth]);
}

// The part at the upper edge of the window stays where it is, whatever grows above it.
function edge() {
  const top = [...document.querySelectorAll('main [id], main > *')].filter((n) => n.getBoundingClientRect().top <= 60).pop();
  if (!top || !scrollY) return () => {};
  const find = top.id ? () => document.getElementById(top.id) : placeOf(top), off = top.getBoundingClientRect().top;
  let left = NaN; // where the page was put: whoever has scrolled meanwhile is left there
  return () => {
    const now = find();
    if (!now || (!Number.isNaN(left) && scrollY !== left)) return;
    scrollTo({ left: scrollX, top: scrollY + now.getBoundingClientRect().top - off, behavior: 'instant' });
    left = scrollY;
  };
}

function field() {
  const node = document.activeElement;
  if (!node?.closest('main > *')) return () => {};
  const find = placeOf(node), typed = node.localName === 'input' && node.type === 'search', { value, selectionStart: from, selectionEnd: to } = node;
  return () => {
    const now = find();
    now?.focus({ preventScroll: true });
    if (!typed || now?.type !== 'search') return;
    if (now.value !== value) now.value = value;
    now.setSelectionRange(from, to);
  };
}

// What is under the pointer says so again.
function point() {
  const at = pointer && document.elementFromPoint(pointer.x, pointer.y);
  if (!at?.closest('main')) return;
  for (const [Kind, name] of [[PointerEvent, 'pointermove'], [MouseEvent, 'mousemove']])
    at.dispatchEvent(new Kind(name, { bubbles: true, clientX: pointer.x, clientY: pointer.y, view: window }));
}

// Notes all that; the function that it returns brings it back.
export function stay() {
  const put = edge(), focus = field(), open = all('details').filter((d) => d.open).map(placeOf);
  const { style } = document.documentElement;
  style.overflowAnchor = 'none'; // the browser would move the page, too
  const scrolled = all('*').filter((n) => n.scrollTop || n.scrollLeft).map((n) => [placeOf(n), n.scrollLeft, n.scrollTop]);
  return () => {
    for (const find of open) { const d = find(); if (d) d.open = true; }
    for (const [find, x, y] of scrolled) { const n = find(); if (n) { n.scrollLeft = x; n.scrollTop = y; } }
    focus();
    put();
    // New charts get their height in the next frames.
    requestAnimationFrame(() => requestAnimationFrame(() => { put(); point(); }));
    setTimeout(() => { put(); style.overflowAnchor = ''; }, 400);
  };
}
