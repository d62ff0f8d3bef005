// The boundaries of the readouts, side by side. With a kernel, that of the last weights is on the large plane, too.

import { Latest, whileBusy } from "./api.js";
import { byId, html, set } from "./dom.js";
import { showError } from "./messages.js";
import { count } from "./numbers.js";
import { Plane } from "./plane.js";

const GRID = 33; // values along a side of the grid
const FINE_GRID = 61; // the same where the large plane shows a curve
const PAUSE = 100; // milliseconds from one request to the next

export class Readouts {
  #requests = new Latest("api/boundary", (answer, { t, columns }) => this.#show(answer, t, columns), showError);
  #waiting = false;

  constructor(session, stage) {
    Object.assign(this, { session, stage });
    this.figures = session.schema.readouts.map((name) => new Figure(name));
    byId("readouts").replaceChildren(...this.figures.map((figure) => figure.node));
    for (const event of ["problem", "view"]) {
      session.on(event, () => this.figures.forEach((figure) => figure.plane.show(session.points, session.view)));
    }
    session.on("problem", () => this.#requests.forget());
    session.on("run", () => session.run ?? this.figures.forEach((figure) => figure.clear()));
    session.on("position", () => this.#askSoon());
  }

  // While the user scrubs through the run, a request now and then is enough.
  #askSoon() {
    if (this.#waiting) return;
    this.#waiting = true;
    whileBusy(() => new Promise((done) => setTimeout(done, PAUSE))).then(() => {
      this.#waiting = false;
      const { session } = this;
      if (!session.run) return;
      const size = session.run.kernel ? FINE_GRID : GRID;
      const view = this.stage.plane.seen ?? session.view;
      this.#requests.ask(session.request({ t: session.t, view, columns: size, rows: size }));
    });
  }

  #show(answer, t, size) {
    const { run } = this.session;
    if (!run || t !== this.session.t) return;
    for (const figure of this.figures) {
      const crossings = figure.name === "voted" ? answer.crossings : null; // votes are constant between lines
      figure.show(answer[figure.name], size, crossings, answer.errors[figure.name], run.rows);
    }
    if (run.kernel) this.stage.plane.showGrid(answer.last, size);
  }
}

class Figure {
  constructor(name) {
    this.name = name;
    this.drawing = set(html("div", { id: name, className: "plane small" }), { role: "img" });
    this.caption = html("figcaption", { id: `${name}-caption` });
    this.node = html("figure", {}, this.drawing, this.caption);
    this.plane = new Plane(this.drawing);
    this.clear();
  }

  show(values, size, crossings, errors, rows) {
    this.plane.showGrid(values, size, crossings);
    this.caption.textContent = `${this.name}: ${count(errors)} of ${count(rows)} wrong`;
    set(this.drawing, { "aria-label": `The boundary of the ${this.name} weights: ${count(errors)} of ${count(rows)} points are wrong` });
  }

  clear() {
    this.plane.showLine(null);
    this.caption.textContent = this.name;
    set(this.drawing, { "aria-label": "Nothing yet" });
  }
}
