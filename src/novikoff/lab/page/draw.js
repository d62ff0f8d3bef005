// Lines, arrows, and drawings that lie on top of each other.

import { set, svg } from "./dom.js";

export function line(kind, [x1, y1], [x2, y2]) {
  return svg("line", { class: kind, x1, y1, x2, y2 });
}

export function arrow(kind, [x1, y1], [x2, y2]) {
  const length = Math.hypot(x2 - x1, y2 - y1);
  if (!(length > 1e-9)) return svg("g", { class: kind });
  const [a, b] = [(x2 - x1) / length, (y2 - y1) / length];
  const head = Math.min(9, 0.6 * length);
  const corner = (side) => `${x2 - head * a + side * head * 0.5 * b} ${y2 - head * b - side * head * 0.5 * a}`;
  const tip = svg("path", { d: `M${x2} ${y2}L${corner(1)}L${corner(-1)}z` });
  const shaft = [x2 - head * 0.8 * a, y2 - head * 0.8 * b];
  return svg("g", { class: `arrow ${kind}` }, line("", [x1, y1], shaft), tip);
}

// Drawings on top of each other in a node, the first lowest. Each is a picture of its own, so that the browser does not paint
// the others again when one changes. Calls back with the size in pixels, now and whenever it changes.
export function stacked(node, names, resized) {
  const drawings = names.map((name) => svg("svg", { class: name, "aria-hidden": true }));
  node.append(...drawings);
  new ResizeObserver(([entry]) => {
    const [width, height] = [Math.round(entry.contentRect.width), Math.round(entry.contentRect.height)];
    if (!(width > 0 && height > 0)) return;
    for (const drawing of drawings) set(drawing, { viewBox: `0 0 ${width} ${height}` });
    resized(width, height);
  }).observe(node);
  return drawings;
}
