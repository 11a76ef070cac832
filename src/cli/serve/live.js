// SPDX-License-Identifier: Apache-2.0
// What 'ikat serve' adds to the page of the report: a bar that tells how far the run is, and new points without losing the place.
(() => {
  const script = document.currentScript, page = script.dataset.page;
  const PLACE = 'ikat-place', POLL = 1000, QUIET = 1500, RARE = 5000;
  const opened = performance.now();
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
  const shownPoints = page ? Number(page.split('.')[0]) : 0;

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

  // ---- new points: the page is loaded again when nobody is about to do something with it
  let last = 0;
  const touched = () => { last = performance.now(); };
  for (const kind of ['pointermove', 'pointerdown', 'keydown', 'wheel', 'touchmove']) addEventListener(kind, touched, { passive: true, capture: true });
  const chooses = () => ['INPUT', 'SELECT', 'TEXTAREA'].includes(document.activeElement?.tagName) && document.activeElement.type !== 'range';
  const busy = () => document.hidden || (last && performance.now() - last < QUIET) || chooses() || !getSelection().isCollapsed || performance.now() < sure;
  // Between two loads passes ten times what one took, so that a long page is not always being made.
  const load = performance.getEntriesByType('navigation')[0];
  const least = Math.max(2000, 10 * (load ? load.responseEnd - load.requestStart : 0));

  const places = () => [...document.querySelectorAll('main [id], main > *')];
  const name = (node) => node.id || `${places().indexOf(node)}`;
  // What can be opened, by its section and its number there: new points may make new sections.
  function details() {
    const found = new Map(), num = new Map();
    for (const d of document.querySelectorAll('details')) {
      const of = d.closest('main > *')?.id ?? '', n = num.get(of) ?? 0;
      num.set(of, n + 1);
      found.set(`${of}/${n}`, d);
    }
    return found;
  }
  let leaving = false;
  function renew() {
    if (leaving) return;
    // The part at the upper edge of the window stays where it is, whatever grows above it.
    const top = places().filter((n) => n.getBoundingClientRect().top <= 60).pop();
    const open = [...details()].filter(([, d]) => d.open).map(([key]) => key);
    const scrolled = [...document.querySelectorAll('main *')].filter((n) => n.scrollTop || n.scrollLeft).map((n) => [[...document.querySelectorAll('main *')].indexOf(n), n.scrollLeft, n.scrollTop]);
    const kept = { at: top && scrollY ? name(top) : '', off: top ? top.getBoundingClientRect().top : 0, x: scrollX, y: scrollY, open, scrolled };
    try { sessionStorage.setItem(PLACE, JSON.stringify(kept)); } catch { /* the page begins at its top */ }
    history.scrollRestoration = 'manual';
    leaving = true;
    setTimeout(() => { // what the reader chose reaches the address in 120 ms
      leaving = performance.now() >= sure;
      if (leaving) location.reload();
    }, 150);
  }

  function restore(kept) {
    const known = details();
    for (const key of kept.open) if (known.get(key)) known.get(key).open = true;
    const all = [...document.querySelectorAll('main *')];
    let left = NaN; // where the page was put: whoever has scrolled meanwhile is left there
    const put = () => {
      if (!Number.isNaN(left) && scrollY !== left) return;
      const at = kept.at && (document.getElementById(kept.at) ?? places()[Number(kept.at)]);
      scrollTo({ left: kept.x, top: at ? scrollY + at.getBoundingClientRect().top - kept.off : kept.y, behavior: 'instant' });
      left = scrollY;
    };
    for (const [i, x, y] of kept.scrolled) if (all[i]) { all[i].scrollLeft = x; all[i].scrollTop = y; }
    put();
    for (const wait of [100, 400]) setTimeout(put, wait); // charts get their height in the next frames
  }
  function restoreWhenReady(kept) {
    if (document.documentElement.dataset.ready === 'yes') requestAnimationFrame(() => requestAnimationFrame(() => restore(kept)));
    else setTimeout(() => restoreWhenReady(kept), 20);
  }
  try {
    const kept = JSON.parse(sessionStorage.getItem(PLACE));
    sessionStorage.removeItem(PLACE);
    if (kept && document.getElementById('app')) restoreWhenReady(kept);
  } catch { /* nothing was kept */ }

  // ---- asking
  async function poll() {
    let wait = POLL;
    try {
      const answer = await fetch('status');
      if (!answer.ok) throw new Error(answer.status);
      const now = await answer.json();
      show(now);
      const isNew = now.page && now.page !== page;
      fresh.hidden = !isNew || !page;
      if (isNew && now.status) put(fresh, now.status.done > shownPoints ? `Show ${counted(now.status.done - shownPoints)} more` : 'Show what is new');
      if (isNew && !busy() && performance.now() - opened > (page ? least : 500)) renew();
    } catch {
      show({ state: 'gone', why: 'The server has ended: this page stays as it is.' });
      fresh.hidden = true;
      wait = RARE;
    }
    setTimeout(poll, wait);
  }
  poll();
})();
