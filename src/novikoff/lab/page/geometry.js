// Scales, polygons and contours.

// From numbers to pixels, and back.
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

  // Round numbers, about as many as wanted.
  ticks(wanted = 5) {
    const rough = (this.to - this.from) / wanted;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= rough * 0.999);
    const ticks = [];
    for (let value = Math.ceil(this.from / step) * step; value <= this.to + step * 1e-9 && ticks.length < 50; value += step) {
      ticks.push(Math.abs(value) < step * 1e-9 ? 0 : value);
    }
    return ticks;
  }
}

// The part of a polygon where a·x + b·y + c > 0.
export function clipped(polygon, [a, b, c]) {
  const inside = [];
  polygon.forEach((here, place) => {
    const next = polygon[(place + 1) % polygon.length];
    const [now, then] = [here, next].map(([x, y]) => a * x + b * y + c);
    if (now > 0) inside.push(here);
    if (now > 0 !== then > 0) {
      const share = now / (now - then);
      inside.push([here[0] + share * (next[0] - here[0]), here[1] + share * (next[1] - here[1])]);
    }
  });
  return inside;
}

// The corners of the convex hull, in order.
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

// A grid of values, row by row. `crossings` has {right, up}: where, as a share of the edge that goes right or up from a corner,
// the sign changes; where it is not given, that is interpolated between the values at the ends.
export class Grid {
  constructor(values, columns, rows, crossings = null) {
    Object.assign(this, { values, columns, rows, crossings });
  }

  number([i, j]) {
    return j * this.columns + i;
  }

  // Where the edge between two neighbouring corners is crossed.
  crossing(from, to) {
    const [first, second] = this.number(from) < this.number(to) ? [from, to] : [to, from];
    const share = this.crossings
      ? this.crossings[first[1] === second[1] ? "right" : "up"][this.number(first)]
      : this.values[this.number(first)] / (this.values[this.number(first)] - this.values[this.number(second)]);
    return [0, 1].map((k) => first[k] + share * (second[k] - first[k]));
  }
}

// Where a grid becomes positive, and where it is positive, as two SVG paths: marching squares, with neighbouring cells that are
// positive as a whole drawn as one box.
export function contours(grid, x, y) {
  const [lines, areas] = [[], []];
  const at = ([i, j]) => `${x(i).toFixed(1)} ${y(j).toFixed(1)}`;
  for (let j = 0; j + 1 < grid.rows; j++) {
    let since = null;
    const box = (until) => {
      if (since !== null) areas.push(`M${at([since, j])}L${at([until, j])}L${at([until, j + 1])}L${at([since, j + 1])}z`);
      since = null;
    };
    for (let i = 0; i + 1 < grid.columns; i++) {
      const corners = [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]];
      const positive = corners.map((corner) => grid.values[grid.number(corner)] > 0);
      if (positive.every(Boolean)) {
        since ??= i;
        continue;
      }
      box(i);
      if (!positive.some(Boolean)) continue;
      const [around, crossed] = [[], []];
      corners.forEach((here, edge) => {
        const next = (edge + 1) % 4;
        if (positive[edge]) around.push(here);
        if (positive[edge] === positive[next]) return;
        crossed.push(grid.crossing(here, corners[next]));
        around.push(crossed.at(-1));
      });
      areas.push(`M${around.map(at).join("L")}z`);
      for (let k = 0; k + 1 < crossed.length; k += 2) lines.push(`M${at(crossed[k])}L${at(crossed[k + 1])}`);
    }
    box(grid.columns - 1);
  }
  return { zero: lines.join(""), positive: areas.join("") };
}
