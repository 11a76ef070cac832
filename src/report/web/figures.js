// SPDX-License-Identifier: Apache-2.0
// Figures that the experiment declares, as they are printed, and what the results say of its claims.
import { download, el } from './dom.js';
import { savePng } from './saves.js';
import { table } from './tables.js';

const BASES = { publication: 'the source', twin: 'ikat itself', program: 'another program' };
const TAGS = { holds: 'yes', differs: 'no', 'cannot be told': 'warning', 'not asked': '' };

export const hasFigures = (data) => data.figures?.length > 0;
export const hasClaims = (data) => data.claims?.length > 0;

export function claimsView(data) {
  const columns = [
    { key: 'verdict', name: 'verdict', text: (r) => el('span', { class: `tag ${TAGS[r.verdict]}` }, r.verdict) },
    { key: 'claim', name: 'claim', class: () => 'wrap' }, { key: 'source', name: 'source', csv: !data.claims.some((c) => c.source), class: () => 'wrap' },
    ...(data.claims.some((c) => c.paper) ? [{ key: 'paper', name: 'in the source', class: () => 'wrap' }] : []),
    { key: 'paper', name: 'in the source', csv: !data.claims.some((c) => c.paper), class: () => 'wrap' },
    { key: 'asked', name: 'asked', class: () => 'wrap' }, { key: 'found', name: 'found', class: () => 'wrap' },
    { key: 'margin', name: 'margin', number: true, title: 'by which share of the right side the result may move before the verdict is another', text: (r) => r.margin === null ? '' : `${(100 * r.margin).toPrecision(2)} %` },
    { key: 'basis', name: 'compared with', csv: data.claims.every((c) => c.basis === 'publication'), text: (r) => BASES[r.basis] },
    { key: 'weak', name: 'weak', csv: !data.claims.some((c) => c.weak), class: () => 'wrap' }, { key: 'differs', name: 'why it differs', csv: !data.claims.some((c) => c.differs), class: () => 'wrap' }, { key: 'figure', csv: true },
    ...(data.claims.some((c) => c.differs) ? [{ key: 'differs', name: 'known to differ', class: () => 'wrap' }] : []),
    ...['left', 'left_ci95', 'op', 'right', 'right_ci95'].map((key) => ({ key, csv: true }))];
  const num = (verdict) => data.claims.filter((c) => c.verdict === verdict).length;
  return el('section', { id: 'claims' }, el('h2', {}, 'Claims'),
    el('p', { class: 'quiet' }, `${num('holds')} hold, ${num('differs')} differ, ${num('cannot be told')} cannot be told. Intervals are of 95 %; where they overlap, nothing can be decided.`),
    el('div', { class: 'card' }, table('claims', columns, data.claims)));
}

// The picture is ikat's own SVG: parsed as such, never as HTML.
function picture(text) {
  const parsed = new DOMParser().parseFromString(text, 'image/svg+xml');
  return document.importNode(parsed.documentElement, true);
}

function figureCard(f) {
  const save = (ending, onclick, text) => {
    const button = el('button', { type: 'button', class: 'save', 'data-save': `${f.name}.${ending}`, 'aria-label': `save ${f.name} as ${ending}`, onclick }, ending.toUpperCase());
    button.savedText = () => text;
    return button;
  };
  if (f.missing) return el('div', { class: 'card' }, el('h3', {}, f.title || f.name), el('p', { class: 'quiet' }, f.missing));
  return el('figure', { class: f.wide ? 'card figure wide' : 'card figure', 'data-figure': f.name }, el('div', { class: 'picture', tabindex: f.wide ? 0 : undefined, role: f.wide ? 'region' : undefined, 'aria-label': f.wide ? f.name : undefined }, picture(f.svg)),
    el('figcaption', {}, el('span', {}, el('strong', {}, f.name), f.caption && `. ${f.caption}`),
      el('span', { class: 'saves' }, save('svg', () => download(`${f.name}.svg`, f.svg, 'image/svg+xml'), f.svg), save('png', () => savePng(f.name, f.svg)), save('csv', () => download(`${f.name}.csv`, f.csv), f.csv))));
}

export function figuresView(data) {
  return el('section', { id: 'figures' }, el('h2', {}, 'Figures'), el('div', { class: 'figures' }, data.figures.map(figureCard)));
}
