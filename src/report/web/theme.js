// SPDX-License-Identifier: Apache-2.0
// Light and dark, and colours that people with colour-vision deficiencies can tell apart (Okabe and Ito's palette; a yellow-orange-red
// ramp whose lightness changes all the way).

const series = {
  light: ['#0072b2', '#d55e00', '#008a63', '#b8578f', '#b57b00', '#3a9bd9', '#7a5c2e', '#6b6b6b'],
  dark: ['#5ab2e8', '#ff9a5c', '#45d1a3', '#eba3cd', '#f5c04d', '#9bd4f7', '#d4b483', '#bdbdbd'],
};
const ramps = {
  light: [[0, [205, 211, 220]], [0.02, [196, 205, 190]], [0.35, [240, 190, 70]], [0.7, [226, 104, 32]], [1, [150, 0, 38]]],
  dark: [[0, [66, 74, 90]], [0.02, [92, 98, 90]], [0.35, [190, 148, 52]], [0.7, [240, 122, 50]], [1, [255, 92, 112]]],
};

let chosen = null;
const listeners = [];

export const mode = () => chosen ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
export const seriesColour = (i) => series[mode()][i % series.light.length];

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
export const onTheme = (fn) => listeners.push(fn);

function apply() {
  document.documentElement.dataset.theme = mode();
  listeners.forEach((fn) => fn());
}

export function startTheme() {
  apply();
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', apply);
  // Paper is white, whatever the screen was.
  let before = null;
  addEventListener('beforeprint', () => { before = chosen; chosen = 'light'; apply(); });
  addEventListener('afterprint', () => { chosen = before; apply(); });
}

export function toggleTheme() {
  chosen = mode() === 'dark' ? 'light' : 'dark';
  apply();
}
