// What a reader would stumble over in a report page, as sentences. Run inside the page by tests/cli/test_page.py.
(() => {
  const wrong = [];
  const root = document.documentElement;
  const visible = (node) => node.getClientRects().length > 0 && getComputedStyle(node).visibility !== 'hidden';
  const what = (node) => `${node.tagName.toLowerCase()}${node.className?.baseVal ?? node.className ? `.${(node.className?.baseVal ?? node.className).split(' ').join('.')}` : ''} "${node.textContent.trim().slice(0, 40)}"`;

  if (root.scrollWidth > root.clientWidth) {
    const far = [...document.querySelectorAll('body *')].filter((n) => visible(n) && !n.closest('.scroll, nav, pre') && n.getBoundingClientRect().right > root.clientWidth + 1);
    wrong.push(`the page is ${root.scrollWidth} wide, the window ${root.clientWidth}: ${far.slice(0, 3).map(what).join(', ')}`);
  }
  const paper = matchMedia('print').matches;
  for (const box of document.querySelectorAll('.scroll')) {
    if (!visible(box)) continue;
    if (paper && box.scrollWidth > box.clientWidth + 1) wrong.push(`a table on paper is ${box.scrollWidth} wide, its place ${box.clientWidth}: ${what(box)}`);
    if (!paper && box.scrollWidth > box.clientWidth && getComputedStyle(box).overflowX !== 'auto') wrong.push(`a wide table cannot be scrolled: ${what(box)}`);
  }
  // Boxes that stand beside or below each other do not cover each other.
  for (const group of document.querySelectorAll('.cards, .grid2, .tables2, main, .controls, .keys, nav > div, tr, .finding, .top, .bar-axis, .plot-head, .table-tools')) {
    const boxes = [...group.children].filter(visible).map((n) => [n, n.getBoundingClientRect()]);
    boxes.forEach(([a, p], i) => boxes.slice(i + 1).forEach(([b, q]) => {
      if (p.left < q.right - 1 && q.left < p.right - 1 && p.top < q.bottom - 1 && q.top < p.bottom - 1) wrong.push(`${what(a)} and ${what(b)} cover each other`);
    }));
  }
  for (const cell of document.querySelectorAll('td, th'))
    if (visible(cell) && cell.scrollWidth > cell.clientWidth + 1) wrong.push(`a cell's text runs out of it: ${what(cell)}`);

  for (const svg of document.querySelectorAll('svg')) {
    if (!visible(svg)) continue;
    const frame = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll('text')].filter((t) => visible(t) && t.textContent.trim()).map((t) => [t, t.getBoundingClientRect()]);
    texts.forEach(([t, p], i) => {
      const words = t.firstChild.textContent;
      if (p.left < frame.left - 1 || p.right > frame.right + 1 || p.top < frame.top - 1 || p.bottom > frame.bottom + 1) wrong.push(`"${words}" runs out of its picture`);
      const scale = svg.viewBox.baseVal?.width > 0 ? frame.width / svg.viewBox.baseVal.width : 1; // figures are drawn in their own units
      // On paper a pixel is 0.75 pt: 8.67 of them are 6.5 pt.
      if (scale * parseFloat(getComputedStyle(t).fontSize) < (paper ? 8.67 : 8.9)) wrong.push(`"${words}" is too small`);
      for (const [u, q] of texts.slice(i + 1))
        if (p.left < q.right - 0.5 && q.left < p.right - 0.5 && p.top < q.bottom - 2 && q.top < p.bottom - 2) wrong.push(`"${words}" and "${u.firstChild.textContent}" lie on each other`);
    });
  }
  for (const plot of document.querySelectorAll('.plot')) {
    if (!visible(plot)) continue;
    const name = plot.getAttribute('aria-label');
    if (!plot.querySelector('svg')) { wrong.push(`nothing is drawn: ${name}`); continue; }
    const looks = [...plot.querySelectorAll('svg path[fill="none"][stroke-width="2"]')].map((p) => `${p.getAttribute('stroke')} ${p.getAttribute('stroke-dasharray') ?? ''}`);
    if (new Set(looks).size < looks.length) wrong.push(`two curves look the same: ${name}: ${looks.sort().join(', ')}`);
    const keys = [...plot.parentElement.querySelectorAll('button.key line')].map((l) => `${l.getAttribute('stroke')} ${l.getAttribute('stroke-dasharray')}`);
    if (new Set(keys).size < keys.length) wrong.push(`two keys look the same: ${name}: ${keys.join(', ')}`);
  }
  for (const canvas of document.querySelectorAll('canvas')) {
    if (!visible(canvas)) continue;
    const probe = new OffscreenCanvas(64, 64).getContext('2d', { willReadFrequently: true });
    probe.drawImage(canvas, 0, 0, 64, 64);
    const { data } = probe.getImageData(0, 0, 64, 64);
    if (!data.some((v) => v)) wrong.push(`an empty picture: ${canvas.getAttribute('aria-label')}`);
    const ratio = canvas.width / canvas.height / (canvas.clientWidth / canvas.clientHeight);
    if (!canvas.classList.contains('ramp') && (ratio < 0.97 || ratio > 1.03)) wrong.push(`a picture is distorted: ${canvas.getAttribute('aria-label')}`);
  }
  // No share of a whole is above 100 %, no number is a NaN.
  for (const cell of document.querySelectorAll('td, p, output, strong, svg text'))
    if (/\b(NaN|undefined|Infinity|null)\b/.test(cell.textContent)) wrong.push(`"${cell.textContent.slice(0, 60)}"`);
  // Text and its ground.
  const light = (colour) => { const [r, g, b] = colour.match(/[\d.]+/g).map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4)); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const ground = (node) => { for (let n = node; n; n = n.parentElement) { const c = getComputedStyle(n).backgroundColor; if (!/, 0\)$|transparent/.test(c)) return c; } return 'rgb(255, 255, 255)'; };
  const seen = new Set();
  for (const node of document.querySelectorAll('h1, h2, h3, h4, p, td, th, summary, button, nav a, .tag, .key, .control, .legend, strong, span, svg text')) {
    if (!visible(node) || !node.textContent.trim() || node.closest('[aria-hidden], .off') && !node.closest('.overlay')) continue;
    const style = getComputedStyle(node), text = node.tagName === 'text' ? style.fill : style.color, back = node.classList.contains('inside') || (node.closest('.figure') && node.tagName === 'text' && !node.classList.contains('f-ink')) ? null : // on a mark of its own colour
      ground(node.closest('svg')?.parentElement ?? node);
    if (!back || seen.has(text + back)) continue;
    seen.add(text + back);
    const [a, b] = [light(text), light(back)].sort((p, q) => q - p);
    if ((a + 0.05) / (b + 0.05) < 4.5) wrong.push(`too little contrast, ${text} on ${back}: ${what(node)}`);
  }
  return [...new Set(wrong)];
})()
