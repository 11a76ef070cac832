// SPDX-License-Identifier: Apache-2.0
// Watched packets: the life of each, stage by stage.
import { choose, el } from './dom.js';
import { loadText, time } from './format.js';
import { channelNames } from './names.js';
import { table } from './tables.js';

const LIVES = 200; // that can be chosen

export const hasWatch = (data) => data.points.some((p) => p.watch?.length);

const known = new WeakMap();
function channelName(data, point, channel) {
  const { drawing } = data.fabrics[point.fabric];
  if (!drawing) return channel === undefined ? '' : `channel ${channel}`;
  if (!known.has(drawing)) known.set(drawing, channelNames(drawing));
  return channel === undefined ? '' : (known.get(drawing).get(channel) ?? `channel ${channel}`);
}

const pointName = (p) => [p.plan_label, p.traffic, p.load === null ? '' : `load ${loadText(p.load)}`, `seed ${p.seed}`].filter(Boolean).join(', ');
const packetName = (x) => `packet ${x.number} of host ${x.source}${x.sent ? ` to host ${x.destination}${x.delivered ? '' : ', not delivered'}` : ', not sent'}`;

function rowsOf(data, lives) {
  return lives.flatMap(([p, x]) => (x.sent ? x.events : [{ stage: 'not sent' }]).map((e) => ({
    point: pointName(p), packet: `${x.source}:${x.number}`, time_ns: e.time_ps === undefined ? null : e.time_ps / 1000, until_ns: e.until_ps === undefined ? null : e.until_ps / 1000,
    stage: e.stage, reason: e.reason ?? '', channel: channelName(data, p, e.channel), vc: e.vc ?? null, ahead: e.ahead ?? null })));
}

export function watchView(data) {
  if (!hasWatch(data)) return null;
  const lives = data.points.flatMap((p) => (p.watch ?? []).map((x) => [p, x])), dash = (x) => (x === null ? '–' : x);
  const several = new Set(lives.map(([p]) => p)).size > 1;
  const columns = [{ key: 'time_ns', name: 'time', number: true, text: (r) => (r.time_ns === null ? '–' : time(r.time_ns)) }, { key: 'until_ns', name: 'until', number: true, text: (r) => (r.until_ns === null ? '' : time(r.until_ns)) },
    { key: 'stage', name: 'stage' }, { key: 'reason', name: 'waits for' }, { key: 'channel', name: 'channel' }, { key: 'vc', name: 'VC', number: true, text: (r) => dash(r.vc) }, { key: 'ahead', name: 'packets ahead', number: true, text: (r) => (r.ahead === null ? '' : r.ahead) },
    { key: 'point', csv: true }, { key: 'packet', csv: true }];
  const [first] = lives;
  const pick = choose('packet', 'packet', lives.slice(0, LIVES).map(([p, x], k) => [k, `${packetName(x)}${several ? ` (${pointName(p)})` : ''}`]), 0, (k) => box.update(columns, rowsOf(data, [lives[k]])));
  const box = table('watch', columns, rowsOf(data, [lives[pick.value] ?? first]), { changes: true });
  return el('section', { id: 'watch' }, el('h2', {}, 'Watched packets'),
    el('p', { class: 'quiet' }, 'Every stage of a packet from its source to its destination, and what it waits for from then on. ikat report --csv --table watch has all of them.'),
    el('div', { class: 'card' }, el('div', { class: 'controls' }, pick.node), box,
      lives.length > LIVES && el('p', { class: 'quiet' }, `The first ${LIVES} of ${lives.length} packets.`)));
}
