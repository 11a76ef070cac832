// SPDX-License-Identifier: Apache-2.0
// Light and dark, and colours that people with colour-vision deficiencies can tell apart (Okabe and Ito's palette; a yellow-orange-red
// ramp whose lightness changes all the way).

// Eight colours that stay apart for normal sight, protanopes, deuteranopes and tritanopes, at contrast 3 or more with the card.
const series = {
  light: ['#0072b2', '#d55e00', '#c96eed', '#4d562d', '#7a9c7b', '#1026a3', '#904d79', '#4b1937'],
  dark: ['#5ab2e8', '#ff9a5c', '#d7628a', '#3dfea1', '#8f74f8', '#ffd83d', '#c2e1fa', '#a08216'],
};
// Dashes as lengths of strokes and gaps; none is a solid line.
export const DASHES = [[], [7, 4], [2, 3], [9, 3, 2, 3], [16, 4], [9, 3, 2, 3, 2, 3]];
const ramps = {
  light: [[0, [205, 211, 220]], [0.02, [196, 205, 190]], [0.35, [240, 190, 70]], [0.7, [226, 104, 32]], [1, [150, 0, 38]]],
  dark: [[0, [66, 74, 90]], [0.02, [92, 98, 90]], [0.35, [190, 148, 52]], [0.7, [240, 122, 50]], [1, [255, 92, 112]]],
};

let chosen = null;
let listeners = [];

export const mode = () => chosen ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
export const NUM_COLOURS = series.light.length;
export const seriesColour = (i) => series[mode()][i % NUM_COLOURS];
// How the i-th line of a chart looks: colours first, then the same colours dashed anew.
export const lineStyle = (i) => ({ colour: i % NUM_COLOURS, dash: Math.floor(i / NUM_COLOURS) % DASHES.length, symbol: i + Math.floor(i / NUM_COLOURS) });

export function rampColour(x) {
  const stops = ramps[mode()];
  const v = Math.min(1, Math.max(0, x));
  let k = 1;
  while (k < stops.length - 1 && stops[k][0] < v) k++;
  const [x0, c0] = stops[k - 1];
  const [x1, c1] = stops[k];
  const t = (v - x0) / (x1 - x0);
  return `rgb(${c0.map((c, i) => Math.round(c + t * (c1[i] - c))).join(',')})`;
}

export const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
// What this draws is in the light colours: for files.
export function inLight(make) {
  const root = document.documentElement, before = [chosen, root.dataset.theme];
  chosen = root.dataset.theme = 'light';
  try {
    return make();
  } finally {
    [chosen, root.dataset.theme] = before;
  }
}
export const onTheme = (fn) => listeners.push(fn);
// Before the page is drawn again: who is still there asks again.
export const forgetListeners = () => { listeners = []; };

function apply() {
  document.documentElement.dataset.theme = mode();
  listeners.forEach((fn) => fn());
}

// Paper does not scroll: a table that is too wide is printed smaller, to half its size; then its words break.
function fit(table, on) {
  table.style.zoom = '';
  table.classList.remove('tight');
  if (!on) return;
  const ratio = table.parentElement.clientWidth / table.scrollWidth;
  if (ratio < 1) table.style.zoom = Math.max(0.5, ratio * 0.99);
  table.classList.toggle('tight', ratio < 0.5);
}

// What is printed of a long table; with #numbers in the address every row is.
const ROWS_ON_PAPER = 12;
function shorten(table, on) {
  const rows = [...table.tBodies].flatMap((body) => [...body.rows]), scroll = table.parentElement;
  if (scroll.nextElementSibling?.classList.contains('rest')) scroll.nextElementSibling.remove();
  const short = on && rows.length > ROWS_ON_PAPER + 2 && location.hash !== '#numbers';
  rows.forEach((row, i) => row.classList.toggle('unprinted', short && i >= ROWS_ON_PAPER));
  if (!short) return;
  const note = document.createElement('p');
  note.className = 'quiet rest';
  note.textContent = `The first ${ROWS_ON_PAPER} of ${rows.length} rows: the page has them all, and saves them as CSV.`;
  scroll.after(note);
}

export const onPaper = () => document.documentElement.classList.contains('paper');

export function startTheme() {
  apply();
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', apply);
  // Paper is white and narrow, whatever the screen was: everything is drawn again for it.
  let before = null;
  const paper = (on) => {
    document.documentElement.classList.toggle('paper', on);
    document.querySelectorAll('.scroll > table').forEach((table) => { shorten(table, on); fit(table, on); });
  };
  addEventListener('beforeprint', () => { before = chosen; chosen = 'light'; paper(true); apply(); });
  addEventListener('afterprint', () => { chosen = before; paper(false); apply(); });
}

export function toggleTheme() {
  chosen = mode() === 'dark' ? 'light' : 'dark';
  apply();
}
