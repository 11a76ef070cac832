// SPDX-License-Identifier: Apache-2.0
// What the reader has chosen, in the address: #section?key=value&key=value. It can be sent to somebody who has the same file. An
// address may come from anybody: every value is checked by whoever asks for it.

const WAIT = 120; // milliseconds between changes of the address: browsers refuse many of them

const hash = location.hash.slice(1), at = hash.indexOf('?');
let place = at < 0 ? hash : hash.slice(0, at);
const values = new URLSearchParams(at < 0 ? '' : hash.slice(at + 1));
let timer = 0;

function write() {
  timer = 0;
  const rest = values.toString();
  history.replaceState(null, '', place || rest ? `#${place}${rest && `?${rest}`}` : location.pathname + location.search);
}
const later = () => { timer ||= setTimeout(write, WAIT); };

export const section = () => place;
export function goTo(id) { place = id; later(); document.getElementById(id)?.scrollIntoView(); }

export const get = (key) => values.get(key) ?? '';
// What is as it is without an address has no place in it.
export function set(key, value, usual = '') {
  if (value === undefined || value === null || String(value) === String(usual)) values.delete(key);
  else values.set(key, value);
  later();
}
// One of these values, or else the usual one.
export function choice(key, allowed, usual) {
  const value = get(key);
  return allowed.find((x) => String(x) === value && value !== '') ?? usual;
}
export function number(key, least, most, usual) {
  const value = get(key) === '' ? NaN : Number(get(key));
  return value >= least && value <= most ? value : usual;
}
export const list = (key) => get(key).split(' ').filter(Boolean);

// Another address in the same window is another view of the same page.
addEventListener('hashchange', () => location.reload());
