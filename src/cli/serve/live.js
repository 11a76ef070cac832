// SPDX-License-Identifier: Apache-2.0
// What 'ikat serve' adds to the page of the report: a bar that tells how far the run is, and new points in place.
(() => {
  const script = document.currentScript, POLL = 1000, RARE = 5000;
  let { page } = script.dataset; // what is shown: points, failures and files, as the server names them
  const part = (kind, props = {}, ...children) => {
    const node = Object.assign(document.createElement(kind), props);
    node.append(...children);
    return node;
  };

  // ---- the bar
  const style = part('style', {}, `
    #live { position: fixed; inset: auto 0 0 0; z-index: 20; display: flex; flex-wrap: wrap; gap: 4px 14px; align-items: center; padding: 7px 16px;
      font: 14px/1.4 system-ui, sans-serif; color: var(--text, CanvasText); background: var(--card, Canvas); border-top: 1px solid var(--rule, GrayText); }
    #live progress { flex: 1 1 120px; max-width: 320px; height: 12px; accent-color: var(--accent, auto); }
    #live .fault { color: var(--bad, CanvasText); }
    body { padding-bottom: 52px; }
    @media print { #live { display: none; } }`);
  const state = part('span', { role: 'status' }), bar = part('progress', { max: 1, value: 0 });
  const words = part('span'), said = part('span', { role: 'status' });
  const fresh = part('button', { type: 'button', hidden: true, onclick: () => renew() });
  const stop = part('button', { type: 'button', hidden: true, onclick: () => askToStop() }, 'Stop the run');
  bar.setAttribute('aria-label', 'points done');
  document.head.append(style);
  document.body.append(part('div', { id: 'live' }, state, bar, words, fresh, stop, said));

  const put = (node, text) => { if (node.textContent !== text) node.textContent = text; };
  const counted = (n) => `${n.toLocaleString('en')} point${n === 1 ? '' : 's'}`;
  const UNITS = [[86400, 'days'], [3600, 'h'], [60, 'min'], [1, 's']];
  const time = (s) => { const [size, name] = UNITS.find(([u]) => s >= 2 * u) ?? UNITS[3]; return `${Math.ceil(s / size)} ${name}`; };
  const NAMES = { running: 'Running', stopped: 'Stopped', ended: 'Ended', waiting: 'Waiting', error: 'Fault', gone: 'No server' };
  const shownPoints = () => (page ? Number(page.split('.')[0]) : 0);

  function show({ state: what, why, can_stop: canStop, status }) {
    document.documentElement.dataset.live = what;
    put(state, NAMES[what] ?? what);
    state.className = what === 'error' || what === 'gone' ? 'fault' : '';
    bar.hidden = !status;
    stop.hidden = !canStop;
    if (!status) { put(words, why ?? ''); return; }
    const open = status.points - status.left_out;
    bar.value = open ? status.done / open : 1;
    put(words, [`${status.done.toLocaleString('en')} of ${counted(status.points)}`, status.failed && `${status.failed.toLocaleString('en')} failed`,
      status.left_out && `${status.left_out.toLocaleString('en')} left out`, status.seconds_left !== null && `about ${time(status.seconds_left)} left`].filter(Boolean).join(', '));
  }

  // ---- stopping: the second press within a few seconds asks for it
  let sure = 0;
  async function askToStop() {
    if (performance.now() > sure) {
      sure = performance.now() + 5000;
      stop.textContent = 'Press again to stop the run';
      setTimeout(() => { stop.textContent = 'Stop the run'; }, 5000);
      return;
    }
    sure = 0;
    stop.textContent = 'Stop the run';
    try { put(said, await (await fetch('stop', { method: 'POST' })).text()); } catch { put(said, 'The server does not answer.'); }
  }

  // ---- new points: the page takes their data, unless somebody is about to do something with it
  let pressed = false, busyUntil = performance.now() + 500, renewing = false;
  for (const kind of ['pointerdown', 'pointerup', 'pointercancel']) addEventListener(kind, () => { pressed = kind === 'pointerdown'; }, { passive: true, capture: true });
  const chooses = () => document.activeElement?.tagName === 'SELECT'; // its list may be open
  const busy = () => document.hidden || pressed || chooses() || !getSelection().isCollapsed || performance.now() < busyUntil;

  async function renew() {
    if (renewing) return;
    if (!window.ikat) { location.reload(); return; } // this page says why there are no results
    const began = performance.now();
    renewing = true;
    try {
      const answer = await fetch('data');
      if (!answer.ok) return; // the bar says what is wrong
      const data = new DOMParser().parseFromString(await answer.text(), 'text/html');
      ikat.show(await ikat.read(data));
      page = script.dataset.page = data.querySelector('[data-page]').dataset.page;
      fresh.hidden = true;
    } finally {
      renewing = false;
      // Between two of them passes ten times what one took, so that a long page is not always being made.
      busyUntil = performance.now() + Math.max(2000, 10 * (performance.now() - began));
    }
  }

  // ---- what would be, which the server computes
  let computing = 0;
  addEventListener('pagehide', () => { if (computing) navigator.sendBeacon('cancel'); }); // nobody waits for it any more
  async function post(path, form = {}) {
    const answer = await fetch(path, { method: 'POST', body: new URLSearchParams(form) });
    if (!answer.ok) throw new Error(await answer.text());
    return answer;
  }
  const compute = async (form) => {
    computing += 1;
    try { return await (await post('whatif', form)).json(); } finally { computing -= 1; }
  };
  const server = { compute, cancel: () => post('cancel').catch(() => {}) };
  let offered = false;
  async function offer() {
    offered = true;
    ikat.computeBy(server);
    ikat.show(await ikat.read(document));
  }

  // ---- asking
  async function poll() {
    let wait = POLL;
    try {
      const answer = await fetch('status');
      if (!answer.ok) throw new Error(answer.status);
      const now = await answer.json();
      show(now);
      if (window.ikat && !offered) await offer();
      const isNew = now.page && now.page !== page;
      fresh.hidden = !isNew || !page;
      if (isNew && now.status) put(fresh, now.status.done > shownPoints() ? `Show ${counted(now.status.done - shownPoints())} more` : 'Show what is new');
      if (isNew && !busy()) await renew();
    } catch {
      show({ state: 'gone', why: 'The server has ended: this page stays as it is.' });
      fresh.hidden = true;
      wait = RARE;
    }
    setTimeout(poll, wait);
  }
  poll();
})();
