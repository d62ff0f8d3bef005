// The plane with the points, the boundary of the moment, and the example of the moment in words.

import { Latest } from "./api.js";
import { byId } from "./dom.js";
import { showError } from "./messages.js";
import { Plane } from "./plane.js";
import { exampleText, missingText, startText } from "./words.js";

export class Stage {
  #examples = new Latest("api/look", (example, { t }) => this.#described(example, t), showError);

  // `onExample` is called with the example of the moment; null where there is none.
  constructor(session, onExample) {
    Object.assign(this, { session, onExample, plane: new Plane(byId("plane")) });
    for (const event of ["problem", "view", "preview"]) session.on(event, () => this.plane.show(session.points, session.view));
    session.on("problem", () => this.#examples.forget());
    session.on("run", () => this.#showRun());
    session.on("position", () => this.#showPosition());
  }

  #showRun() {
    const { run, points } = this.session;
    byId("verdict").textContent = run ? run.certificate.sentence.split("\n")[0] : "";
    if (run) return;
    this.plane.showLine(null);
    this.plane.explain({});
    byId("words").textContent = missingText(points);
    byId("stopped").textContent = "";
    this.onExample(null);
  }

  #showPosition() {
    const { session } = this;
    const { run, t, k } = session;
    if (!run.kernel) this.plane.showLine(run.columns.w[k], run.columns.least[k]);
    byId("stopped").textContent = session.atEnd ? run.stopped : "";
    if (t === 0) this.#show(null);
    else if (run.afterUpdate(k) === t) this.#show(run.exampleOfUpdate(k, session.points));
    else this.#examples.ask(session.request({ t: t - 1 }));
  }

  #described(example, t) {
    if (this.session.run && t === this.session.t - 1) this.#show(example);
  }

  #show(example) {
    const { run, settings, atEnd } = this.session;
    const { certificate } = run;
    byId("words").textContent = example ? exampleText(example, run.rows, settings) : startText;
    this.plane.explain({
      row: example ? example.row : null,
      wrong: Boolean(example?.mistake),
      support: atEnd ? certificate.support : [],
      widest: run.widest,
      hulls: certificate.outcome === "inseparable" && !run.kernel ? certificate : null,
    });
    this.onExample(example);
  }
}
