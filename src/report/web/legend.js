// SPDX-License-Identifier: Apache-2.0
// What the colours of a picture mean.
import { el } from './dom.js';
import { onTheme, rampColour } from './theme.js';

export function legend(low, high) {
  const bar = el('canvas', { width: 240, height: 12, class: 'ramp', 'aria-hidden': true });
  const paint = () => {
    const g = bar.getContext('2d');
    for (let i = 0; i < 240; i++) { g.fillStyle = rampColour(i / 239); g.fillRect(i, 0, 1, 12); }
  };
  const most = el('span', {}, high);
  paint();
  onTheme(paint);
  return { node: el('span', { class: 'legend' }, el('span', {}, low), bar, most), say(text) { most.textContent = text; } };
}
