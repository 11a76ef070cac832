// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them.

export const percent = (x, digits = 1) => (x === null || x === undefined ? '–' : `${(100 * x).toFixed(digits)} %`);
export const count = (n) => Number(n).toLocaleString('en-US');

export function time(ns) {
  if (ns === null || ns === undefined) return '–';
  if (ns >= 1e6) return `${(ns / 1e6).toPrecision(4)} ms`;
  if (ns >= 1e3) return `${(ns / 1e3).toPrecision(4)} µs`;
  return `${Number(ns.toPrecision(4))} ns`;
}

export function rate(bps) {
  if (bps >= 1e12) return `${+(bps / 1e12).toPrecision(4)} Tb/s`;
  if (bps >= 1e9) return `${+(bps / 1e9).toPrecision(4)} Gb/s`;
  return `${+(bps / 1e6).toPrecision(4)} Mb/s`;
}

export const plusMinus = (mean, ci, show) => (ci === null || ci === undefined ? show(mean) : `${show(mean)} ± ${show(ci)}`);
export const verdict = (v) => (v === true ? 'yes' : v === false ? 'no' : 'unknown');

// For axes, where the values are round.
export function shortTime(ns) {
  const [scale, unit] = ns >= 1e6 ? [1e6, 'ms'] : ns >= 1e3 ? [1e3, 'µs'] : [1, 'ns'];
  return `${+(ns / scale).toPrecision(3)} ${unit}`;
}
