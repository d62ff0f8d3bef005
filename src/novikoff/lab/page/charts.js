// Small charts: curves over mistakes with a hand that follows the run, dots on a line, and the sum of two arrows.

import { set, svg, svgText } from "./dom.js";
import { arrow, line, stacked } from "./draw.js";
import { Scale } from "./geometry.js";
import { count, formatted } from "./numbers.js";

const MARGIN = { left: 46, right: 10, top: 8, bottom: 36 };

// Curves over k = 0…K: {kind, values} with values[k], null where nothing is drawn; `now` has the values that the hand shows, where
// they are others; `level` is a height to mark.
export class Curves {
  constructor(node, { logarithmic = false, across = "mistakes" } = {}) {
    Object.assign(this, { logarithmic, across, series: [], at: 0 });
    [this.drawn, this.hand] = stacked(node, ["drawn", "hand"], (width, height) => {
      Object.assign(this, { width, height });
      this.#draw();
    });
  }

  show(series, last, { level = null, until = null } = {}) {
    Object.assign(this, { series, last, level, until });
    this.#draw();
  }

  #draw() {
    if (!this.width) return;
    if (!this.series.length) {
      this.drawn.replaceChildren();
      this.hand.replaceChildren();
      return;
    }
    const end = Math.max(1, this.until ?? this.last);
    const heights = this.series.flatMap(({ values }) => ends(values)).concat(this.level ?? []);
    const positive = heights.filter((value) => value > 0);
    const top = Math.max(...heights, 0) || 1;
    const least = this.logarithmic ? Math.log10(Math.min(...positive, top)) : Math.min(0, ...heights);
    const most = this.logarithmic ? Math.log10(top) : top;
    this.x = new Scale([0, end], [MARGIN.left, this.width - MARGIN.right]);
    const room = (most - least) * 0.06 || 0.5;
    this.y = new Scale([this.logarithmic ? least - room : least, most + room], [this.height - MARGIN.bottom, MARGIN.top]);
    const made = this.#axes();
    if (this.level !== null) {
      const at = this.#height(this.level);
      made.push(line("level", [MARGIN.left, at], [this.width - MARGIN.right, at]));
    }
    for (const { kind, values } of this.series) made.push(svg("path", { class: `curve ${kind}`, d: this.#path(values) }));
    this.drawn.replaceChildren(...made);
    this.follow(this.at);
  }

  #height(value) {
    return this.y.at(this.logarithmic ? Math.log10(value) : value);
  }

  // Of many values in one column of pixels, the least and the largest are drawn.
  #path(values) {
    const drawn = [];
    let column = null;
    const flush = () => {
      if (!column) return;
      for (const value of column.low === column.high ? [column.low] : [column.low, column.high]) {
        drawn.push(`${column.x} ${this.#height(value).toFixed(1)}`);
      }
      column = null;
    };
    values.forEach((value, k) => {
      if (value === null || (this.logarithmic && !(value > 0)) || k > this.x.to) return;
      const x = Math.round(this.x.at(k));
      if (column?.x !== x) {
        flush();
        column = { x, low: value, high: value };
      } else {
        column.low = Math.min(column.low, value);
        column.high = Math.max(column.high, value);
      }
    });
    flush();
    return drawn.length === 1 ? `M${drawn[0]}h0.1` : drawn.length ? `M${drawn.join("L")}` : "";
  }

  #axes() {
    const floor = this.height - MARGIN.bottom;
    const made = [line("axis", [MARGIN.left, floor], [this.width - MARGIN.right, floor])];
    const label = (...how) => made.push(svgText(...how));
    for (const value of this.x.ticks(Math.max(2, Math.round(this.width / 90)))) {
      const [x, last] = [this.x.at(value), this.x.at(value) > this.width - MARGIN.right - 12];
      if (Number.isInteger(value)) label(count(value), { x, y: floor + 14, "text-anchor": last ? "end" : "middle" });
    }
    label(this.across, { x: this.width - MARGIN.right, y: floor + 30, "text-anchor": "end" });
    for (const value of this.logarithmic ? powers(10 ** this.y.from, 10 ** this.y.to) : this.y.ticks(3)) {
      const at = this.#height(value);
      made.push(line("rule", [MARGIN.left, at], [this.width - MARGIN.right, at]));
      label(formatted(value), { x: MARGIN.left - 5, y: at + 4, "text-anchor": "end" });
    }
    return made;
  }

  follow(k) {
    this.at = k;
    this.hand.replaceChildren();
    if (!this.x || !this.series.length) return;
    const at = Math.min(this.x.at(k), this.width - MARGIN.right);
    this.hand.append(line("", [at, MARGIN.top], [at, this.height - MARGIN.bottom]));
    for (const { kind, values, now = values } of this.series) {
      const value = now[k] ?? null;
      if (value === null || (this.logarithmic && !(value > 0))) continue;
      this.hand.append(svg("circle", { class: kind, cx: at, cy: this.#height(value), r: 3.5 }));
    }
  }
}

// Round numbers for a logarithmic axis: 1, 2 and 5 times powers of ten, or the powers alone where that is too many.
function powers(from, to) {
  const tens = [];
  for (let power = Math.floor(Math.log10(from)); power <= Math.log10(to); power++) tens.push(10 ** power);
  const fine = tens.flatMap((ten) => [ten, 2 * ten, 5 * ten]).filter((value) => value >= from && value <= to);
  if (fine.length <= 5) return fine;
  const coarse = tens.filter((value) => value >= from && value <= to);
  return coarse.filter((_, place) => place % Math.ceil(coarse.length / 5) === 0);
}

const ends = (values) => {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (value === null) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? [low, high] : [];
};

// Rows of dots on one axis from 0: {name, values}; `bound` is marked.
export function dots(drawing, rows, bound) {
  const draw = (width, height) => {
    set(drawing, { viewBox: `0 0 ${width} ${height}` });
    const most = Math.max(1, ...rows.flatMap(({ values }) => values), bound ?? 0);
    const x = new Scale([0, most], [84, width - 14]);
    const made = [line("axis", [84, height - 22], [width - 14, height - 22])];
    const label = (...how) => made.push(svgText(...how));
    for (const value of x.ticks(4)) label(count(value), { x: x.at(value), y: height - 8, "text-anchor": "middle" });
    rows.forEach(({ name, values }, place) => {
      const y = 16 + (place * (height - 44)) / rows.length;
      label(name, { x: 78, y: y + 4, "text-anchor": "end" });
      for (const value of values) made.push(svg("circle", { class: "dot", cx: x.at(value), cy: y, r: 4 }));
    });
    if (bound !== null) made.push(line("level", [x.at(bound), 4], [x.at(bound), height - 22]));
    drawing.replaceChildren(...made);
  };
  const box = drawing.getBoundingClientRect();
  if (box.width > 0) draw(Math.round(box.width), Math.round(box.height));
}

// w from 0, the step from its tip, and the new w from 0, in a scale of their own.
export class Addition {
  constructor(node) {
    [this.drawn] = stacked(node, ["drawn"], (width, height) => {
      Object.assign(this, { width, height });
      this.show(this.shown);
    });
  }

  // `shown` is {before, after}; null where there was no update.
  show(shown) {
    this.shown = shown;
    if (!shown || !this.width) return this.drawn.replaceChildren();
    const { before, after } = shown;
    const [xs, ys] = [0, 1].map((k) => [0, before[k], after[k]]);
    const [wide, high] = [xs, ys].map((each) => Math.max(...each) - Math.min(...each));
    const unit = Math.min((this.width - 40) / (wide || 1e-9), (this.height - 30) / (high || 1e-9));
    const [cx, cy] = [xs, ys].map((each) => (Math.max(...each) + Math.min(...each)) / 2);
    const at = ([a, b]) => [this.width / 2 + (a - cx) * unit, this.height / 2 - (b - cy) * unit];
    const zero = at([0, 0]);
    this.drawn.replaceChildren(
      arrow("before", zero, at(before)),
      arrow("after", zero, at(after)),
      arrow("step", at(before), at(after)),
      svg("circle", { class: "origin", cx: zero[0], cy: zero[1], r: 3 }),
    );
  }
}
