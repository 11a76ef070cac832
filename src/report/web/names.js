// SPDX-License-Identifier: Apache-2.0
// Names of switches, hosts and channels: as the fabric gives them, and shortened to what tells them apart.

// The name and the GUID of "leaf (0x0200c9a000ec0060)"; the GUID is '' where there is none.
export const partsOf = (name) => { const m = name.match(/^(.*) \(0x([0-9a-f]+)\)$/); return m ? [m[1], m[2]] : [name, '']; };

// Nodes of one kind: the name alone where no other has it; else the end of the GUID, as long as it must be, behind it, or alone where
// all names are the same.
function shorten(names) {
  const parts = names.map(partsOf), times = new Map();
  for (const [text] of parts) times.set(text, (times.get(text) ?? 0) + 1);
  const alike = times.size === 1 && names.length > 1;
  let digits = 4;
  while (digits < 16 && new Set(parts.map(([text, guid]) => `${text}/${guid.slice(-digits)}`)).size < names.length) digits += 2;
  return parts.map(([text, guid]) => (times.get(text) === 1 || !guid ? text : alike ? `…${guid.slice(-Math.max(6, digits))}` : `${text} …${guid.slice(-digits)}`));
}

const known = new WeakMap();
export function shortNames(drawing) {
  if (!known.has(drawing))
    known.set(drawing, [...shorten(drawing.names.slice(0, drawing.switches)), ...shorten(drawing.names.slice(drawing.switches))]);
  return known.get(drawing);
}

// What a channel is called, in its direction: channel → text.
export function channelNames(drawing, names = drawing.names) {
  const text = new Map();
  for (const [channel, a, ap, opposite, b, bp] of drawing.links) {
    text.set(channel, `${names[a]} port ${ap} → ${names[b]}`);
    text.set(opposite, `${names[b]} port ${bp} → ${names[a]}`);
  }
  return text;
}

const pen = document.createElement('canvas').getContext('2d');
export const LABEL_FONT = '11px system-ui, sans-serif';
export function widthOf(text) {
  pen.font = LABEL_FONT;
  return pen.measureText(text).width;
}

// The text, or its two ends with … between them, in at most `room` pixels; '' where not even three letters fit.
export function fitted(text, room) {
  const most = Math.max(4, Math.ceil(room)); // letters that are looked at from each end: none that shows is narrower than a pixel
  const long = text.length > 4 * most;
  if (!long && widthOf(text) <= room) return text;
  const first = [...(long ? text.slice(0, most) : text)], last = long ? [...text.slice(-most)] : first;
  const cut = (keep) => `${first.slice(0, Math.ceil(keep / 2)).join('')}…${last.slice(last.length - Math.floor(keep / 2)).join('')}`;
  let low = 2, high = long ? most : first.length - 1; // `low` letters fit, or are too few
  while (low < high) {
    const keep = Math.ceil((low + high) / 2);
    if (widthOf(cut(keep)) <= room) low = keep; else high = keep - 1;
  }
  return low > 2 ? cut(low) : '';
}
