// SVG by hand: elements, numbers as text, and the little geometry that drawing takes.

const SVG = "http://www.w3.org/2000/svg";

export function element(name, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, name);
  set(made, attributes);
  made.append(...children);
  return made;
}

export function set(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null) node.removeAttribute(name);
    else node.setAttribute(name, value);
  }
  return node;
}

// Four digits that count, a real minus, no exponent where none is needed.
export function told(number) {
  if (number === null || number === undefined) return "–";
  const text = Math.abs(number) >= 1e6 ? grouped(number) : String(Number(Number(number).toPrecision(4)));
  return text.replace("e+", "e").replaceAll("-", "−");
}

export function counted(number) {
  return Math.round(number).toLocaleString("en").replaceAll(",", " ");
}

function grouped(number) {
  return Math.abs(number) < 1e15 ? counted(number) : number.toExponential(3);
}

export const vector = (numbers) => `(${numbers.map(told).join(", ")})`;

// Numbers to pixels, in both directions.
export class Scale {
  constructor([from, to], [first, last]) {
    Object.assign(this, { from, to, first, last });
  }

  at(value) {
    return this.first + ((value - this.from) / (this.to - this.from)) * (this.last - this.first);
  }

  value(pixel) {
    return this.from + ((pixel - this.first) / (this.last - this.first)) * (this.to - this.from);
  }

  // About so many round numbers.
  ticks(wanted = 5) {
    const rough = (this.to - this.from) / wanted;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= rough * 0.999);
    const found = [];
    for (let value = Math.ceil(this.from / step) * step; value <= this.to + step * 1e-9 && found.length < 50; value += step) {
      found.push(Math.abs(value) < step * 1e-9 ? 0 : value);
    }
    return found;
  }
}

// The part of a polygon where a·x + b·y + c > 0.
export function clipped(polygon, [a, b, c]) {
  const kept = [];
  polygon.forEach((here, place) => {
    const next = polygon[(place + 1) % polygon.length];
    const [now, then] = [here, next].map(([x, y]) => a * x + b * y + c);
    if (now > 0) kept.push(here);
    if (now > 0 !== then > 0) {
      const share = now / (now - then);
      kept.push([here[0] + share * (next[0] - here[0]), here[1] + share * (next[1] - here[1])]);
    }
  });
  return kept;
}

// The corners of the convex hull of points, in order.
export function hullOf(points) {
  const sorted = [...points].sort((p, q) => p[0] - q[0] || p[1] - q[1]);
  const turn = (o, p, q) => (p[0] - o[0]) * (q[1] - o[1]) - (p[1] - o[1]) * (q[0] - o[0]);
  const half = (ordered) => {
    const chain = [];
    for (const point of ordered) {
      while (chain.length > 1 && turn(chain.at(-2), chain.at(-1), point) <= 0) chain.pop();
      chain.push(point);
    }
    return chain.slice(0, -1);
  };
  return sorted.length < 3 ? sorted : [...half(sorted), ...half(sorted.reverse())];
}

// Where a grid of values is 0, and where it is positive, as two SVG paths: in each cell, straight between the edges on which
// the sign changes. Whole cells of a row are drawn as one box.
export function contours(values, columns, rows, x, y) {
  const [lines, parts] = [[], []];
  const at = ([i, j]) => `${x(i).toFixed(1)} ${y(j).toFixed(1)}`;
  for (let j = 0; j + 1 < rows; j++) {
    let since = null;
    const box = (until) => {
      if (since !== null) parts.push(`M${at([since, j])}L${at([until, j])}L${at([until, j + 1])}L${at([since, j + 1])}z`);
      since = null;
    };
    for (let i = 0; i + 1 < columns; i++) {
      const corner = [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]];
      const value = corner.map(([a, b]) => values[b * columns + a]);
      const positive = value.map((each) => each > 0);
      if (positive.every(Boolean)) {
        since ??= i;
        continue;
      }
      box(i);
      if (!positive.some(Boolean)) continue;
      const [around, crossed] = [[], []];
      corner.forEach((here, edge) => {
        const to = (edge + 1) % 4;
        if (positive[edge]) around.push(here);
        if (positive[edge] === positive[to]) return;
        const share = value[edge] / (value[edge] - value[to]);
        crossed.push([0, 1].map((k) => here[k] + share * (corner[to][k] - here[k])));
        around.push(crossed.at(-1));
      });
      parts.push(`M${around.map(at).join("L")}z`);
      for (let k = 0; k + 1 < crossed.length; k += 2) lines.push(`M${at(crossed[k])}L${at(crossed[k + 1])}`);
    }
    box(columns - 1);
  }
  return { zero: lines.join(""), positive: parts.join("") };
}

// Drawings that lie on each other in a node, the first lowest, each kept as a picture of its own: what changes often does not
// make the browser paint the others again. Calls back with the size in pixels, now and whenever it changes.
export function stacked(node, names, changed) {
  const drawings = names.map((name) => element("svg", { class: name, "aria-hidden": true }));
  node.append(...drawings);
  new ResizeObserver(([entry]) => {
    const [width, height] = [Math.round(entry.contentRect.width), Math.round(entry.contentRect.height)];
    if (!(width > 0 && height > 0)) return;
    for (const drawing of drawings) set(drawing, { viewBox: `0 0 ${width} ${height}` });
    changed(width, height);
  }).observe(node);
  return drawings;
}
