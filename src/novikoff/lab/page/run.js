// A finished run, as the server describes it, and positions in it. A position t is a number of examples handled, k a number of updates.

export class Run {
  constructor(answer) {
    Object.assign(this, answer);
    const { updates, squeeze } = answer;
    // The server's columns begin with update 1; these begin with 0, before the first update.
    const column = (first, values) => (values ? [first, ...values] : null);
    this.columns = {
      t: column(-1, updates.t),
      w: column([0, 0, 0], updates.w),
      least: column(null, updates.least),
      norm: column(0, updates.norm),
      along: column(0, updates.along),
      mistakes: column(0, updates.mistakes),
      floor: column(0, squeeze?.floor_now),
      ceiling: column(0, squeeze?.ceiling_now),
      cosine: column(null, updates.cosine),
      high: column(null, updates.high),
      low: column(0, updates.low),
    };
    this.last = updates.t.length;
  }

  // How many updates were made in the first t examples.
  updatesBefore(t) {
    let [low, high] = [0, this.last];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.columns.t[middle] < t) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  // Just after update k.
  afterUpdate(k) {
    return k > 0 ? this.columns.t[k] + 1 : 0;
  }

  // The update before a position, or the one before that where the position is just after an update.
  previousUpdate(t) {
    const k = this.updatesBefore(t);
    return this.afterUpdate(t > this.afterUpdate(k) ? k : Math.max(0, k - 1));
  }

  // One example, mistake or pass further.
  next(unit, t) {
    if (unit === "example") return t + 1;
    if (unit === "pass") return (Math.floor(t / this.rows) + 1) * this.rows;
    const k = this.updatesBefore(t);
    return k < this.last ? this.afterUpdate(k + 1) : this.examples;
  }

  // The example of update k, described as the server describes examples.
  exampleOfUpdate(k, points) {
    const { updates, columns } = this;
    const [row, t] = [updates.row[k - 1], columns.t[k]];
    return {
      pass: Math.floor(t / this.rows) + 1,
      place: t % this.rows,
      row,
      x: points[row].slice(0, 2),
      y: updates.y[k - 1],
      margin: updates.margin[k - 1],
      mistake: !(updates.margin[k - 1] > 0),
      update: true,
      step: updates.step[k - 1],
      before: columns.w && columns.w[k - 1],
      after: columns.w && columns.w[k],
    };
  }
}
