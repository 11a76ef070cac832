// SPDX-License-Identifier: Apache-2.0
// Parts of the page that live on when it is drawn again from new data. They are found by their names.

let parts = new Map(), before = new Map(), named = new Map();

// The part of this name: that of the drawing before, after `again` has told it what is new, or one that `make` makes. Of parts with one
// name the first becomes the first, and so on. A part with a function end() is told when it is no more.
export function kept(name, make, again) {
  const nth = named.get(name) ?? 0, key = `${nth} ${name}`, old = before.get(key);
  named.set(name, nth + 1);
  before.delete(key);
  parts.set(key, old ?? make());
  if (old) again(old);
  return parts.get(key);
}

export function beginParts() {
  before = parts;
  parts = new Map();
  named = new Map();
}

export function endParts() {
  before.forEach((part) => part.end?.());
  before.clear();
}
