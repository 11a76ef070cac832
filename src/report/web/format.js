// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them.

export const percent = (x, digits = 1) => (x === null || x === undefined ? '–' : `${(100 * x).toFixed(digits)} %`);
// A bound, rounded away from what it bounds: what is shown bounds, too. What only computing adds, 1e-12 of it, is left out.
function percentBound(x, round, digits = 1) {
  if (x === null || x === undefined) return '–';
  const steps = 100 * x * 10 ** digits, nearest = Math.round(steps);
  return `${((Math.abs(steps - nearest) <= 1e-12 * steps ? nearest : round(steps)) / 10 ** digits).toFixed(digits)} %`;
}
export const percentAtMost = (x, digits) => percentBound(x, Math.ceil, digits);
export const percentAtLeast = (x, digits) => percentBound(x, Math.floor, digits);
// A load that somebody set, and values on axes: as many digits as they have, two behind the point at most.
// A workload that ends has none.
export const loadText = (x) => (x === null || x === undefined ? '–' : `${+(100 * x).toFixed(2)} %`);
export const atLoad = (x) => (x === null ? 'until completion' : `${loadText(x)} load`);
export const count = (n) => Number(n).toLocaleString('en-US');

// "1 root", "2 roots".
export const plural = (n, word) => `${count(n)} ${word}${n === 1 ? '' : 's'}`;
// A mean of counts: one digit behind the point at most.
export const mean = (x) => (x === null || x === undefined ? '–' : count(+x.toFixed(1)));

// The unit in which a time has at most four digits before the point.
const unitOf = (ns) => (ns >= 1e9 ? [1e9, 's'] : ns >= 1e6 ? [1e6, 'ms'] : ns >= 1e3 ? [1e3, 'µs'] : [1, 'ns']);

// A measured time, to four digits.
export function time(ns) {
  if (ns === null || ns === undefined) return '–';
  const [scale, unit] = unitOf(ns);
  return ns === 0 ? '0 ns' : `${(ns / scale).toPrecision(4)} ${unit}`;
}

// A time that somebody set: the end of a period, not more digits than it has.
export function moment(ns) {
  if (ns === null || ns === undefined) return '–';
  const [scale, unit] = unitOf(ns);
  return ns === 0 ? '0' : `${+(ns / scale).toPrecision(6)} ${unit}`;
}

export function rate(bps) {
  if (bps >= 1e12) return `${+(bps / 1e12).toPrecision(4)} Tb/s`;
  if (bps >= 1e9) return `${+(bps / 1e9).toPrecision(4)} Gb/s`;
  return `${+(bps / 1e6).toPrecision(4)} Mb/s`;
}

export const plusMinus = (mean, ci, show) => (ci === null || ci === undefined ? show(mean) : `${show(mean)} ± ${show(ci)}`);
// What is shown of one machine where a curve is of several.
export const ofOneMachine = (data) => (data.over?.some((o) => o.split('.')[0] === 'fabric') ? 'This is the first of several machines; results over all of them have link_use_mean and link_use_max. ' : '');
export const verdict = (v) => (v === true ? 'yes' : v === false ? 'no' : 'unknown');

// For axes, where the values are round.
export function shortTime(ns) {
  const [scale, unit] = unitOf(ns);
  return ns === 0 ? '0' : `${+(ns / scale).toPrecision(3)} ${unit}`;
}
