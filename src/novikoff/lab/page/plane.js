// The plane: points, the boundary with its margin, and what explains them.

import { svg, svgText } from "./dom.js";
import { arrow, line, stacked } from "./draw.js";
import { Grid, Scale, clipped, contours, hullOf } from "./geometry.js";
import { formatted } from "./numbers.js";

const LONGEST_MULTIPLIER = 6; // characters
const ROOM_FOR_LABEL = 90; // pixels
const LAYERS = { under: ["region", "grid", "strip", "hulls", "line"], middle: ["points"], over: ["marks", "cursor"] };

export class Plane {
  constructor(node) {
    Object.assign(this, { node, points: [], view: [-1, 2, -1, 2], cursor: null, layer: {} });
    const drawings = stacked(node, Object.keys(LAYERS), (width, height) => {
      Object.assign(this, { width, height });
      this.redraw();
    });
    Object.values(LAYERS).forEach((names, place) => {
      for (const name of names) drawings[place].append((this.layer[name] = svg("g", { class: name })));
    });
  }

  show(points, view) {
    Object.assign(this, { points, view });
    this.redraw();
  }

  redraw() {
    if (!this.width) return;
    const [left, right, bottom, top] = this.view;
    // The same scale in both directions, so that right angles look right.
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
    this.#drawCursor();
  }

  place([a, b]) {
    return [this.x.at(a), this.y.at(b)];
  }

  // ---- the boundary --------------------------------------------------------------------------------------------

  // A straight boundary, w·x + b = 0; where it separates, `least` is the least |w·x + b| of all points. Without w, none.
  showLine(w, least = null) {
    this.shown = { w, least };
    this.#boundary();
  }

  // A boundary of any shape, by values on a square grid over `seen`, and where the sign changes between them if that is known.
  showGrid(values, size, crossings = null) {
    this.shown = { values, size, crossings };
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
      if (part.length) this.layer.region.append(svg("polygon", { class: `side ${side}`, points: part.join(" ") }));
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

  #curve({ values, size, crossings }) {
    const [cell, up] = [this.width / (size - 1), this.height / (size - 1)];
    const across = (i) => i * cell;
    const above = (j) => this.height - j * up;
    const { zero, positive } = contours(new Grid(values, size, size, crossings?.positive), across, above);
    const opposite = values.map((value) => -value);
    const { positive: negative } = contours(new Grid(opposite, size, size, crossings?.negative), across, above);
    for (const [side, d] of [["plus", positive], ["minus", negative]]) {
      this.layer.region.append(svg("path", { class: `side ${side}`, d, "shape-rendering": "crispEdges" }));
    }
    this.layer.line.append(svg("path", { class: "hyperplane", d: zero }));
  }

  // ---- explanations --------------------------------------------------------------------------------------------------

  // `row` is the example of the moment; `support` are the nearest rows; `widest` is {w, margin}; `hulls` is the certificate of
  // points that are not separable.
  explain(explained) {
    this.explained = explained;
    if (!this.width) return;
    for (const name of ["strip", "hulls", "marks"]) this.layer[name].replaceChildren();
    const { row = null, wrong = false, support = [], widest = null, hulls = null } = explained;
    if (widest) {
      const strip = this.#between(widest.w, widest.margin);
      if (strip.length) this.layer.strip.append(svg("polygon", { class: "widest", points: strip.join(" ") }));
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
    return svg("circle", { class: kind, cx, cy, r });
  }

  // With a bias the hulls of the two classes meet; without one the origin is in the hull of all points times their labels.
  #hulls({ rows, shares, multipliers, meeting, origin }) {
    const long = multipliers.some((each) => each.length > LONGEST_MULTIPLIER); // then shares of their sum, which prove the same
    const named = rows.map((row) => this.points[row]).filter(Boolean);
    const sides = origin
      ? [["plus", named.map(([a, b, y]) => [y * a, y * b])]]
      : [["plus", named.filter((p) => p[2] > 0)], ["minus", named.filter((p) => p[2] < 0)]];
    for (const [side, points] of sides) {
      const corners = hullOf(points.map((point) => this.place(point)));
      if (corners.length) this.layer.hulls.append(svg("polygon", { class: `hull ${side}`, points: corners.join(" ") }));
    }
    if (origin) for (const z of sides[0][1]) this.layer.hulls.append(arrow("turned", this.place([0, 0]), this.place(z)));
    rows.forEach((row, place) => {
      if (!this.points[row]) return;
      const [x, y] = this.place(this.points[row]);
      this.layer.marks.append(svg("circle", { class: "support", cx: x, cy: y, r: 8 + 8 * Math.sqrt(shares[place]) }));
      const left = x > this.width - ROOM_FOR_LABEL;
      this.layer.marks.append(svgText(`λ = ${long ? formatted(shares[place]) : multipliers[place]}`, { x: x + (left ? -14 : 14), y: y - 12, "text-anchor": left ? "end" : "start", class: "multiplier" }));
    });
    if (meeting || origin) {
      const [x, y] = this.place(meeting ?? [0, 0]);
      this.layer.marks.append(svg("path", { class: "meeting", d: `M${x - 7} ${y - 7}l14 14M${x - 7} ${y + 7}l14 -14` }));
    }
  }

  // ---- points and axes -----------------------------------------------------------------------------------------------------

  #points() {
    this.layer.points.replaceChildren(...this.points.map((point) => this.#mark(point)));
  }

  #mark([a, b, label]) {
    const [x, y] = this.place([a, b]);
    if (label > 0) return svg("circle", { class: "point plus", cx: x, cy: y, r: 5 });
    return svg("path", { class: "point minus", d: `M${x} ${y - 6.5}l6 10.5h-12z` });
  }

  #grid() {
    const made = [];
    const labelled = (at, value, along) =>
      svgText(formatted(value), along === "x" ? { x: at + 3, y: this.height - 4 } : { x: 3, y: at - 3 });
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

  // ---- pixels and points ---------------------------------------------------------------------------------------------------

  // The number of the nearest point within some pixels; null where there is none.
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
  coordinates([x, y]) {
    const digits = Math.max(0, Math.ceil(Math.log10(this.unit)));
    return [this.x.value(x), this.y.value(y)].map((value) => Number(value.toFixed(Math.min(digits, 12))));
  }

  // A cross at a pixel, with a ring while it carries a point; none without a pixel.
  showCursor(pixel, carrying = false) {
    this.cursor = pixel && { pixel, carrying };
    this.#drawCursor();
  }

  #drawCursor() {
    this.layer.cursor.replaceChildren();
    if (!this.cursor) return;
    const [x, y] = this.cursor.pixel;
    this.layer.cursor.append(svg("path", { d: `M${x - 12} ${y}h24M${x} ${y - 12}v24` }));
    if (this.cursor.carrying) this.layer.cursor.append(svg("circle", { cx: x, cy: y, r: 9 }));
  }
}
