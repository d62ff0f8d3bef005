// The plane: points to add, drag and erase; the boundary, its margin, and whatever explains them.

import { Scale, clipped, contours, element, hullOf, stacked, told, vector } from "./draw.js";

const NEAR = { mouse: 12, pen: 16, touch: 24 }; // pixels within which a point is meant
const MOVED = 4; // pixels after which a press is a drag
const LAYERS = { under: ["region", "grid", "strip", "hulls", "line"], middle: ["points"], over: ["marks", "cursor"] };

export class Plane {
  // `on` has add(x, y), move(place, x, y, done), erase(place), said(sentence).
  constructor(node, on) {
    Object.assign(this, { node, on, points: [], view: [-1, 2, -1, 2], cursor: null, carried: null, layer: {} });
    const drawings = stacked(node, Object.keys(LAYERS), (width, height) => {
      Object.assign(this, { width, height });
      this.redraw();
    });
    Object.values(LAYERS).forEach((names, place) => {
      for (const name of names) drawings[place].append((this.layer[name] = element("g", { class: name })));
    });
    if (on) this.#listen();
  }

  show(points, view) {
    Object.assign(this, { points, view });
    this.redraw();
  }

  redraw() {
    if (!this.width) return;
    const [left, right, bottom, top] = this.view;
    // The same scale both ways, so that what is perpendicular looks so.
    const unit = Math.min(this.width / (right - left), this.height / (top - bottom));
    const [cx, cy] = [(left + right) / 2, (bottom + top) / 2];
    const [rx, ry] = [this.width / unit / 2, this.height / unit / 2];
    this.seen = [cx - rx, cx + rx, cy - ry, cy + ry];
    this.x = new Scale([cx - rx, cx + rx], [0, this.width]);
    this.y = new Scale([cy - ry, cy + ry], [this.height, 0]);
    this.unit = unit;
    this.#grid();
    this.#points();
    this.#boundary();
    this.explain(this.explained ?? {});
    this.#cursor();
  }

  place([a, b]) {
    return [this.x.at(a), this.y.at(b)];
  }

  // ---- what the weights say --------------------------------------------------------------------------------------------

  // The line w·x + b = 0, its sides, and the strip in which no point lies where it separates.
  weights(w, least = null) {
    this.shown = { w, least };
    this.#boundary();
  }

  // A boundary of any shape, by its values on a grid over `seen`.
  values(values, columns, rows) {
    this.shown = { values, columns, rows };
    this.#boundary();
  }

  #boundary() {
    if (!this.width) return;
    for (const name of ["region", "line"]) this.layer[name].replaceChildren();
    if (this.shown?.values) this.#curve(this.shown);
    else if (this.shown?.w) this.#straight(this.shown);
  }

  #frame() {
    return [[0, 0], [this.width, 0], [this.width, this.height], [0, this.height]];
  }

  // a·x + b·y + c of weights, with x and y in pixels.
  #inPixels([w1, w2, b]) {
    return [w1 / this.unit, -w2 / this.unit, w1 * this.seen[0] + w2 * this.seen[3] + b];
  }

  #straight({ w, least }) {
    const plane = this.#inPixels(w);
    if (!plane.some((each) => each !== 0)) return;
    for (const [side, sign] of [["plus", 1], ["minus", -1]]) {
      const part = clipped(this.#frame(), plane.map((each) => sign * each));
      if (part.length) this.layer.region.append(element("polygon", { class: `side ${side}`, points: part.join(" ") }));
    }
    if (least > 0) this.#edges(this.layer.line, w, least, "margin");
    const ends = this.#ends(plane);
    if (ends) {
      this.layer.line.append(line("hyperplane", ...ends));
      const norm = Math.hypot(w[0], w[1]);
      const middle = [0, 1].map((k) => (ends[0][k] + ends[1][k]) / 2);
      this.layer.line.append(arrow("normal", middle, [middle[0] + (28 * w[0]) / norm, middle[1] - (28 * w[1]) / norm]));
    }
  }

  // The lines w·x + b = ±least.
  #edges(layer, w, least, kind) {
    for (const sign of [1, -1]) {
      const ends = this.#ends(this.#inPixels([w[0], w[1], w[2] - sign * least]));
      if (ends) layer.append(line(kind, ...ends));
    }
  }

  // Where a line enters and leaves the frame; null where it does not.
  #ends(plane) {
    const size = Math.max(...plane.slice(0, 2).map(Math.abs)) * this.width + Math.abs(plane[2]);
    const on = ([x, y]) => Math.abs(plane[0] * x + plane[1] * y + plane[2]) < 1e-6 * size;
    const edge = clipped(this.#frame(), plane).filter(on);
    return edge.length >= 2 ? [edge[0], edge.at(-1)] : null;
  }

  #curve({ values, columns, rows }) {
    const [cell, up] = [this.width / (columns - 1), this.height / (rows - 1)];
    const across = (i) => i * cell;
    const above = (j) => this.height - j * up;
    const { zero, positive } = contours(values, columns, rows, across, above);
    const { positive: negative } = contours(values.map((value) => -value), columns, rows, across, above);
    for (const [side, d] of [["plus", positive], ["minus", negative]]) {
      this.layer.region.append(element("path", { class: `side ${side}`, d, "shape-rendering": "crispEdges" }));
    }
    this.layer.line.append(element("path", { class: "hyperplane", d: zero }));
  }

  // ---- what explains it --------------------------------------------------------------------------------------------------

  // `row` is looked at; `support` lies nearest; `widest` is {w, margin}; `hulls` is {rows, shares, multipliers, meeting}.
  explain(explained) {
    this.explained = explained;
    if (!this.width) return;
    for (const name of ["strip", "hulls", "marks"]) this.layer[name].replaceChildren();
    const { row = null, wrong = false, support = [], widest = null, hulls = null } = explained;
    if (widest) {
      const strip = this.#between(widest.w, widest.margin);
      if (strip.length) this.layer.strip.append(element("polygon", { class: "widest", points: strip.join(" ") }));
      this.#edges(this.layer.strip, widest.w, widest.margin, "widest-edge");
    }
    if (hulls) this.#hulls(hulls);
    for (const each of support) if (this.points[each]) this.layer.marks.append(this.#ring(each, "support", 10));
    if (row !== null && this.points[row]) this.layer.marks.append(this.#ring(row, wrong ? "looked wrong" : "looked", 13));
  }

  #between(w, margin) {
    const upper = clipped(this.#frame(), this.#inPixels([w[0], w[1], w[2] + margin]));
    return upper.length ? clipped(upper, this.#inPixels([-w[0], -w[1], margin - w[2]])) : [];
  }

  #ring(place, kind, r) {
    const [cx, cy] = this.place(this.points[place]);
    return element("circle", { class: kind, cx, cy, r });
  }

  // With a bias the hulls of the two classes meet; without one the hull of all points, those of −1 turned round, has the origin.
  #hulls({ rows, shares, multipliers, meeting, origin }) {
    const named = rows.map((row) => this.points[row]).filter(Boolean);
    const sides = origin
      ? [["plus", named.map(([a, b, y]) => [y * a, y * b])]]
      : [["plus", named.filter((p) => p[2] > 0)], ["minus", named.filter((p) => p[2] < 0)]];
    for (const [side, points] of sides) {
      const corners = hullOf(points.map((point) => this.place(point)));
      if (corners.length) this.layer.hulls.append(element("polygon", { class: `hull ${side}`, points: corners.join(" ") }));
    }
    if (origin) for (const z of sides[0][1]) this.layer.hulls.append(arrow("turned", this.place([0, 0]), this.place(z)));
    rows.forEach((row, place) => {
      if (!this.points[row]) return;
      const [x, y] = this.place(this.points[row]);
      this.layer.marks.append(element("circle", { class: "support", cx: x, cy: y, r: 8 + 8 * Math.sqrt(shares[place]) }));
      const left = x > this.width - 60;
      const label = element("text", { x: x + (left ? -14 : 14), y: y - 12, "text-anchor": left ? "end" : "start", class: "multiplier" });
      label.textContent = `λ = ${multipliers[place].length > 12 ? told(shares[place]) : multipliers[place]}`;
      this.layer.marks.append(label);
    });
    if (meeting || origin) {
      const [x, y] = this.place(meeting ?? [0, 0]);
      this.layer.marks.append(element("path", { class: "meeting", d: `M${x - 7} ${y - 7}l14 14M${x - 7} ${y + 7}l14 -14` }));
    }
  }

  // ---- points and axes -----------------------------------------------------------------------------------------------------

  #points() {
    this.layer.points.replaceChildren(...this.points.map((point) => this.#mark(point)));
  }

  #mark([a, b, label]) {
    const [x, y] = this.place([a, b]);
    if (label > 0) return element("circle", { class: "point plus", cx: x, cy: y, r: 5 });
    return element("path", { class: "point minus", d: `M${x} ${y - 6.5}l6 10.5h-12z` });
  }

  #grid() {
    const made = [];
    const labelled = (at, value, along) => {
      const text = element("text", along === "x" ? { x: at + 3, y: this.height - 4 } : { x: 3, y: at - 3 });
      text.textContent = told(value);
      return text;
    };
    const wanted = Math.max(3, Math.round(this.width / 90));
    for (const value of this.x.ticks(wanted)) {
      const at = this.x.at(value);
      made.push(line(value === 0 ? "axis" : "", [at, 0], [at, this.height]), labelled(at, value, "x"));
    }
    for (const value of this.y.ticks(wanted)) {
      const at = this.y.at(value);
      made.push(line(value === 0 ? "axis" : "", [0, at], [this.width, at]));
      if (at < this.height - 24) made.push(labelled(at, value, "y"));
    }
    this.layer.grid.replaceChildren(...made);
  }

  // ---- hands -------------------------------------------------------------------------------------------------------------------

  nearest([x, y], within) {
    let [best, least] = [null, within];
    this.points.forEach((point, place) => {
      const [px, py] = this.place(point);
      const distance = Math.hypot(px - x, py - y);
      if (distance <= least) [best, least] = [place, distance];
    });
    return best;
  }

  // Coordinates under a pixel, rounded to what a pixel can tell.
  #coordinates([x, y]) {
    const digits = Math.max(0, Math.ceil(Math.log10(this.unit)));
    return [this.x.value(x), this.y.value(y)].map((value) => Number(value.toFixed(Math.min(digits, 12))));
  }

  #listen() {
    const { node } = this;
    const pixel = (event) => {
      const box = node.getBoundingClientRect();
      return [event.clientX - box.left - node.clientLeft, event.clientY - box.top - node.clientTop];
    };
    let press = null;
    node.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || !event.isPrimary) return;
      node.setPointerCapture(event.pointerId);
      press = { from: pixel(event), place: this.nearest(pixel(event), NEAR[event.pointerType] ?? 12), dragged: false };
    });
    node.addEventListener("pointermove", (event) => {
      if (!press) return;
      const here = pixel(event);
      press.dragged ||= Math.hypot(here[0] - press.from[0], here[1] - press.from[1]) > MOVED;
      if (press.dragged && press.place !== null) this.on.move(press.place, ...this.#coordinates(here), false);
    });
    node.addEventListener("pointerup", (event) => {
      if (!press) return;
      const { place, dragged } = press;
      press = null;
      if (dragged && place !== null) this.on.move(place, ...this.#coordinates(pixel(event)), true);
      else if (!dragged) this.on.add(...this.#coordinates(pixel(event)), place);
    });
    node.addEventListener("pointercancel", () => (press = null));
    node.addEventListener("contextmenu", (event) => {
      const place = this.nearest(pixel(event), NEAR.mouse);
      event.preventDefault();
      if (place !== null) this.on.erase(place);
    });
    node.addEventListener("keydown", (event) => this.#key(event));
    node.addEventListener("blur", () => this.#leave());
  }

  // Arrow keys move a cross; Enter adds a point there; M picks one up and puts it down; Delete erases it.
  #key(event) {
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const stride = (event.shiftKey ? 5 : 1) * Math.max(2, Math.round(this.width / 60));
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in steps) {
      this.cursor ??= [this.width / 2, this.height / 2];
      this.cursor = this.cursor.map((at, k) => Math.min(Math.max(at + stride * steps[event.key][k], 0), [this.width, this.height][k]));
      if (this.carried !== null) this.on.move(this.carried, ...this.#coordinates(this.cursor), false);
    } else if (this.cursor && event.key === "Enter") {
      this.on.add(...this.#coordinates(this.cursor), this.nearest(this.cursor, NEAR.touch));
    } else if (this.cursor && (event.key === "Delete" || event.key === "Backspace")) {
      const place = this.nearest(this.cursor, NEAR.touch);
      if (place !== null) this.on.erase(place);
    } else if (this.cursor && event.key.toLowerCase() === "m") {
      if (this.carried !== null) this.on.move(this.carried, ...this.#coordinates(this.cursor), true);
      this.carried = this.carried === null ? this.nearest(this.cursor, NEAR.touch) : null;
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    this.#cursor();
    if (event.key in steps) this.on.said(this.#where());
  }

  #leave() {
    if (this.carried !== null) this.on.move(this.carried, ...this.#coordinates(this.cursor), true);
    Object.assign(this, { cursor: null, carried: null });
    this.#cursor();
  }

  #where() {
    const place = this.nearest(this.cursor, NEAR.touch);
    const near = place === null ? "" : `, at point ${place} of class ${this.points[place][2] > 0 ? "+1" : "−1"}`;
    return `${vector(this.#coordinates(this.cursor))}${near}${this.carried === null ? "" : ", carried"}`;
  }

  #cursor() {
    this.layer.cursor.replaceChildren();
    if (!this.cursor) return;
    const [x, y] = this.cursor;
    this.layer.cursor.append(element("path", { d: `M${x - 12} ${y}h24M${x} ${y - 12}v24` }));
    if (this.carried !== null) this.layer.cursor.append(element("circle", { cx: x, cy: y, r: 9 }));
  }
}

export function line(kind, [x1, y1], [x2, y2]) {
  return element("line", { class: kind, x1, y1, x2, y2 });
}

export function arrow(kind, [x1, y1], [x2, y2]) {
  const length = Math.hypot(x2 - x1, y2 - y1);
  if (!(length > 1e-9)) return element("g", { class: kind });
  const [a, b] = [(x2 - x1) / length, (y2 - y1) / length];
  const head = Math.min(9, 0.6 * length);
  const corner = (side) => `${x2 - head * a + side * head * 0.5 * b} ${y2 - head * b - side * head * 0.5 * a}`;
  const tip = element("path", { d: `M${x2} ${y2}L${corner(1)}L${corner(-1)}z` });
  const shaft = [x2 - head * 0.8 * a, y2 - head * 0.8 * b];
  return element("g", { class: `arrow ${kind}` }, line("", [x1, y1], shaft), tip);
}
