// SPDX-License-Identifier: Apache-2.0
// Text and marks over a canvas: in SVG they stay sharp on paper, and tools can read them.

export function svg(tag, attributes, ...children) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

export const overlay = () => svg('svg', { class: 'overlay', 'aria-hidden': 'true' });

// Shows these labels and no others: { x, y, text, anchor, fill, title }, y in the middle of the text.
export function label(layer, width, height, labels) {
  layer.setAttribute('viewBox', `0 0 ${width} ${height}`);
  layer.setAttribute('width', width);
  layer.setAttribute('height', height);
  layer.replaceChildren(...labels.map((l) => {
    const node = svg('text', { x: l.x, y: l.y + 4, 'text-anchor': l.anchor ?? 'start', fill: l.fill, class: l.class ?? 'label' }, l.text);
    if (l.title && l.title !== l.text) node.append(svg('title', {}, l.title));
    return node;
  }));
}
