// SPDX-License-Identifier: Apache-2.0
// Floor plans of designs: racks as boxes in rows, seen from above, and what cables they need.
import { barKeys } from '../bars.js';
import { card, choose, el } from '../dom.js';
import { count, plural } from '../format.js';
import { file, legendLines, saves, words } from '../saves.js';
import { svg } from '../svg.js';
import { table } from '../tables.js';
import { css, onTheme, seriesColour } from '../theme.js';

const WIDEST = 900, LEFT = 56, TOP = 8; // px
const KINDS = [['hosts and switches', 0], ['switches alone', 1], ['hosts alone', 2]];
const kindOf = ([, , , switches, hosts]) => (switches.length && hosts.length ? 0 : switches.length ? 1 : 2);
const metres = (m) => `${m.toLocaleString('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 })} m`;

// Ranges of numbers, first and last of each in turn, as names.
function names(kind, ranges) {
  const parts = [];
  for (let i = 0; i < ranges.length; i += 2) parts.push(ranges[i] === ranges[i + 1] ? `${kind}${ranges[i]}` : `${kind}${ranges[i]}–${kind}${ranges[i + 1]}`);
  return parts.length > 12 ? `${parts.slice(0, 12).join(', ')}, …` : parts.join(', ');
}

function titleOf(rack, plan, rails) {
  const [row, column, used, switches, hosts] = rack;
  const lines = [`r${row + 1}c${column + 1}: ${used} of ${plan.rack_units} rack units`];
  if (switches.length) lines.push(`switches${rails > 1 ? ` (of each of ${rails} rails)` : ''}: ${names('sw', switches)}`);
  if (hosts.length) lines.push(`hosts: ${names('host', hosts)}`);
  return lines.join('\n');
}

const legend = () => KINDS.map(([text, colour]) => ({ text, wide: 14, sample: svg('rect', { x: 0, y: 1, width: 12, height: 12, fill: seriesColour(colour) }) }));

// The nodes of the picture, and its size. The filled part of a box is the part of its units that is used.
function drawn(m, rails) {
  const plan = m.plan, pitch = Math.max(3, Math.min(28, (WIDEST - LEFT) / m.floor.row_racks)), deep = Math.min(2, plan.row_pitch_mm / plan.rack_width_mm) * pitch * 0.8;
  const step = Math.max(deep + 4, Math.min(3 * pitch, (pitch * plan.row_pitch_mm) / plan.rack_width_mm));
  const nodes = plan.contents.map((rack) => {
    const x = LEFT + rack[1] * pitch, y = TOP + rack[0] * step, part = deep * (rack[2] / plan.rack_units), colour = seriesColour(KINDS[kindOf(rack)][1]), wide = pitch * 0.88;
    return svg('g', { class: 'rack', 'data-rack': `r${rack[0] + 1}c${rack[1] + 1}` }, svg('title', {}, titleOf(rack, plan, rails)), svg('rect', { x, y: y + deep - part, width: wide, height: part, fill: colour }),
      svg('rect', { x, y, width: wide, height: deep, fill: 'transparent', stroke: colour, 'stroke-width': pitch < 8 ? 0.5 : 1 }));
  });
  for (let row = 0; row < m.floor.rows; row += step < 12 ? 10 : 1) nodes.push(words(LEFT - 8, TOP + row * step + deep / 2 + 4, `row ${row + 1}`, { 'text-anchor': 'end', fill: css('--soft'), 'font-size': 11 }));
  return { nodes, width: LEFT + m.floor.row_racks * pitch + 4, height: TOP + (m.floor.rows - 1) * step + deep + 8 };
}

export function floorPlans(data, page) {
  const planned = () => page.rows().filter((m) => m.floor && m.plan);
  if (!data.members.some((m) => m.floor && m.plan)) return null;
  const rails = data.wish.rails, options = data.members.filter((m) => m.floor && m.plan).map((m) => [m.key, m.series]);
  const pick = choose('design', 'floor', options, options[0][0], () => draw()), hold = el('div', { class: 'floor-plan' }), text = el('p', {});
  const chosen = () => data.members.find((m) => m.key === pick.value);
  function draw() {
    const m = chosen(), { nodes, width, height } = drawn(m, rails), f = m.floor;
    hold.replaceChildren(svg('svg', { width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': `Floor plan of ${m.series}: ${plural(f.racks, 'rack')} in ${plural(f.rows, 'row')}` }, ...nodes));
    hold.style.overflowX = 'auto';
    text.textContent = `${m.series}: ${plural(f.racks, 'rack')} in ${plural(f.rows, 'row')}; ${count(f.copper_cables)} copper cables with ${metres(f.copper_m)}, ${count(f.optical_cables)} optical cables with ${metres(f.optical_m)}; the longest has ${metres(f.longest_m)}.`;
  }
  const saved = saves(() => `floor-${chosen().key}`, () => {
    const m = chosen(), { nodes, width, height } = drawn(m, rails), made = legendLines(legend(), 8, height + 26, Math.max(320, width));
    return file(Math.max(320, width), height + made.height + 30, [...nodes, ...made.nodes], `Floor plan of ${m.series}`);
  });
  saved.name('the floor plan');
  const columns = [{ key: 'series', name: 'design', class: () => 'nowrap' }, { key: 'racks', name: 'racks', number: true, text: (r) => count(r.racks) }, { key: 'rows', name: 'rows', number: true, text: (r) => count(r.rows) },
    { key: 'copper_cables', name: 'copper cables', number: true, text: (r) => count(r.copper_cables) }, { key: 'copper_m', name: 'copper, m', number: true, text: (r) => metres(r.copper_m) }, { key: 'optical_cables', name: 'optical cables', number: true, text: (r) => count(r.optical_cables) },
    { key: 'optical_m', name: 'optical, m', number: true, text: (r) => metres(r.optical_m) }, { key: 'longest_m', name: 'longest', number: true, text: (r) => metres(r.longest_m) }, { key: 'inside_racks', name: 'cables within racks', number: true, text: (r) => count(r.inside_racks) }];
  const rows = () => planned().map((m) => ({ ...m.floor, series: m.series })), all = table('floors', columns, rows());
  page.onChange(() => all.update(columns, rows()));
  onTheme(draw);
  draw();
  return el('section', { id: 'floor-plans' }, el('h2', {}, 'Floor plans'), el('p', { class: 'quiet' }, `Racks from above, filled as far as their units are used; point at one to see what is in it.${rails > 1 ? ` Switches of all ${rails} rails stand together.` : ''} Lengths are those of cables as they are bought.`),
    card(el('div', { class: 'controls' }, pick.node), text, hold, barKeys(KINDS.map(([name, colour]) => [name, () => seriesColour(colour)])), el('div', { class: 'plot-head' }, el('span', {}), saved)), card(all));
}
