// The cards about the run at its position: mistakes against the bound, the proof, the margin, the update, the angle.

import { Addition, Curves } from "./charts.js";
import { byId, describe } from "./dom.js";
import { count, formatted } from "./numbers.js";
import { angleText, gaugeText, intervalText, proofText, updateText } from "./words.js";

export class Cards {
  constructor(session) {
    this.session = session;
    this.charts = {
      proof: new Curves(byId("proof")),
      interval: new Curves(byId("interval"), { logarithmic: true }),
      angle: new Curves(byId("angle")),
    };
    this.update = new Addition(byId("update"));
    session.on("run", () => (session.run ? this.#showRun() : this.#clear()));
    session.on("position", () => this.#showPosition());
  }

  #showRun() {
    const { run } = this.session;
    const { columns, squeeze, last } = run;
    byId("root").textContent = squeeze ? squeeze.root : "√k·R";
    const curve = (kind, values = columns[kind]) => (values ? [{ kind, values }] : []);
    const outer = (kind) => (squeeze ? [{ kind, values: spread(squeeze.k, squeeze[kind]), now: columns[kind] }] : []);
    const curves = [...outer("ceiling"), ...outer("floor"), ...curve("norm"), ...curve("along")];
    this.charts.proof.show(curves, last, { until: squeeze ? squeeze.k.at(-1) : last });
    this.charts.interval.show([...curve("high"), ...curve("low")], last, { level: run.gamma });
    this.charts.angle.show(curve("along", columns.cosine), last, { level: columns.cosine ? 1 : null });
  }

  #clear() {
    for (const chart of Object.values(this.charts)) chart.show([], 0);
    for (const name of ["proof", "interval", "angle", "gauge"]) describe(byId(name), byId(`${name}-text`), "");
    byId("filled").style.width = 0;
    byId("made").textContent = "0";
    byId("at-most").textContent = "";
  }

  #showPosition() {
    const { run, k } = this.session;
    for (const chart of Object.values(this.charts)) chart.follow(k);
    describe(byId("proof"), byId("proof-text"), proofText(run, k));
    describe(byId("interval"), byId("interval-text"), intervalText(run, k));
    describe(byId("angle"), byId("angle-text"), angleText(run, k));
    this.#showGauge(run, run.bound.of === "mistakes" ? run.columns.mistakes[k] : k);
  }

  #showGauge(run, made) {
    const bound = run.bound.value;
    byId("made").textContent = count(made);
    byId("at-most").textContent = bound === undefined ? "so far" : `of at most ${formatted(bound)}`;
    byId("filled").style.width = `${bound === undefined ? 0 : 100 * Math.min(1, made / bound)}%`;
    describe(byId("gauge"), byId("gauge-text"), gaugeText(run, made));
  }

  // The update of the example of the moment; null clears it.
  showUpdate(example) {
    this.update.show(example?.update && example.before ? example : null);
    describe(byId("update"), byId("update-text"), this.session.run ? updateText(example) : "");
  }
}

// Values at some of the k's, as a column over all of them.
function spread(k, values) {
  const column = new Array(k.at(-1) + 1).fill(null);
  k.forEach((each, place) => { column[each] = values[place]; });
  return column;
}
