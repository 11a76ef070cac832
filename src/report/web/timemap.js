// SPDX-License-Identifier: Apache-2.0
// A map over time: columns are periods, rows have names, the colour says how much.
import { el } from './dom.js';
import { shortTime } from './format.js';
import { css, onTheme, rampColour } from './theme.js';

// left: pixels for names. rowHeight: pixels of a row, given their number. The returned show() takes
// { rows: names, periods: their number, period_ps, shade: (row, t) → 0 to 1, tell: (row, t) → text, note: text below }.
export function timeMap(label, left, rowHeight) {
  const canvas = el('canvas', { class: 'heat', role: 'img', 'aria-label': label });
  const tip = el('div', { class: 'tip', hidden: true });
  const note = el('p', { class: 'quiet' });
  const node = el('div', { class: 'fabric-box' }, canvas, tip, note);
  let map = { rows: [], periods: 0 };
  const tall = () => rowHeight(map.rows.length);
  const wide = () => (canvas.clientWidth - left - 8) / map.periods;
  function draw() {
    canvas.hidden = !map.rows.length;
    if (!map.rows.length || !canvas.clientWidth) return;
    const dpr = devicePixelRatio || 1, height = map.rows.length * tall() + 24;
    canvas.width = Math.round(canvas.clientWidth * dpr);
    canvas.height = Math.round(height * dpr);
    canvas.style.height = `${height}px`;
    const g = canvas.getContext('2d');
    g.setTransform(dpr, 0, 0, dpr, 0, 0);
    g.font = '11px system-ui, sans-serif';
    map.rows.forEach((name, row) => {
      const y = row * tall();
      for (let t = 0; t < map.periods; t++) {
        g.fillStyle = rampColour(map.shade(row, t));
        g.fillRect(left + t * wide(), y, Math.ceil(wide()) - (wide() > 6 ? 1 : 0), tall() - (tall() > 10 ? 1 : 0));
      }
      g.fillStyle = css('--text');
      g.textAlign = 'right';
      if (tall() >= 10) g.fillText(name, left - 8, y + tall() / 2 + 4, left - 12);
    });
    g.fillStyle = css('--soft');
    g.textAlign = 'center';
    for (let i = 0; i <= 5; i++) {
      const t = (map.periods * i) / 5;
      g.fillText(shortTime((t * map.period_ps) / 1000), Math.min(canvas.clientWidth - 24, left + t * wide()), height - 8);
    }
  }
  canvas.addEventListener('pointermove', (event) => {
    const box = canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    const t = Math.floor((x - left) / wide()), row = Math.floor(y / tall());
    tip.hidden = !(row >= 0 && row < map.rows.length && t >= 0 && t < map.periods);
    if (tip.hidden) return;
    tip.textContent = map.tell(row, t);
    tip.style.left = `${Math.min(x + 14, canvas.clientWidth - 280)}px`;
    tip.style.top = `${y + 14}px`;
  });
  canvas.addEventListener('pointerleave', () => { tip.hidden = true; });
  new ResizeObserver(() => requestAnimationFrame(draw)).observe(node);
  onTheme(draw);
  return {
    node,
    show(next) {
      map = next;
      note.textContent = next.note;
      draw();
    },
  };
}
