// The points, the settings, the run that the server made of them, and the position in it. Everything else on the page shows this,
// or changes it. Events: "problem" (points or settings), "preview" (points on the way), "view", "run" (a new one, or none), "position".

import { Latest } from "./api.js";
import { showError } from "./messages.js";
import { Run } from "./run.js";
import { fitted } from "./view.js";

export class Session extends EventTarget {
  points = [];
  settings;
  t = 0; // examples handled
  run = null; // while one is awaited, and where the points were refused
  #view = null; // null: fitted to the points
  #past = []; // problems before the last changes
  #future = []; // problems that were undone
  #target = 0; // the position to take in the run that is awaited
  #notice = ""; // to be shown when the next run arrives
  #runs = new Latest("api/run", (answer) => this.#arrived(answer), (why) => this.#refused(why));

  constructor(schema) {
    super();
    this.schema = schema;
    this.settings = schema.defaults();
  }

  on(event, listener) {
    this.addEventListener(event, listener);
  }

  #emit(event) {
    this.dispatchEvent(new Event(event));
  }

  // The body of a request about this problem.
  request(more = {}) {
    return { points: this.points, settings: this.settings, ...more };
  }

  // ---- the problem ---------------------------------------------------------------------------------------------------------

  get canUndo() {
    return this.#past.length > 0;
  }

  get canRedo() {
    return this.#future.length > 0;
  }

  // A change that can be undone. `fit`: see all points; `at`: where to be in the new run.
  edit(change, options) {
    this.#past.push(this.request());
    this.#future = [];
    Object.assign(this, change);
    this.#changed(options);
  }

  // Points on the way to another place: they are drawn, but nothing is learned before the edit.
  preview(points) {
    this.points = points;
    this.#emit("preview");
  }

  // The edit after some previews.
  editFrom(before, change) {
    Object.assign(this, before);
    this.edit(change);
  }

  undo() {
    this.#travel(this.#past, this.#future);
  }

  redo() {
    this.#travel(this.#future, this.#past);
  }

  #travel(from, to) {
    if (!from.length) return;
    to.push(this.request());
    Object.assign(this, from.pop());
    this.#changed();
  }

  // Another problem, as a link describes it. It cannot be undone.
  open({ points, settings, t, view = null }, notice = "") {
    Object.assign(this, { points, settings });
    this.#view = view;
    this.#notice = notice;
    [this.#past, this.#future] = [[], []];
    this.#changed({ at: t });
  }

  // The run begins anew, but who was at the end of one goes to the end of the next.
  #changed({ fit = false, at = this.atEnd && this.t > 0 ? Infinity : 0 } = {}) {
    this.run = null;
    this.#target = at;
    if (fit) this.#view = null;
    if (at !== Infinity) this.t = at;
    this.#emit("problem");
    if (this.#learnable()) {
      this.#runs.ask(this.request());
    } else {
      this.#runs.forget();
      showError(this.#notice);
      this.#notice = "";
      this.#emit("run");
    }
  }

  #learnable() {
    return [1, -1].every((label) => this.points.some((point) => point[2] === label));
  }

  // ---- the run -------------------------------------------------------------------------------------------------------------

  #arrived(answer) {
    showError(this.#notice);
    this.#notice = "";
    this.run = new Run(answer);
    this.t = Math.min(this.#target, this.run.examples);
    this.#emit("run");
    this.#emit("position");
  }

  #refused(why) {
    showError(why);
    this.#emit("run");
  }

  get atEnd() {
    return this.run !== null && this.t === this.run.examples;
  }

  // Updates made so far.
  get k() {
    return this.run.updatesBefore(this.t);
  }

  go(t) {
    if (!this.run) return;
    this.t = Math.max(0, Math.min(t, this.run.examples));
    this.#emit("position");
  }

  // ---- the view ------------------------------------------------------------------------------------------------------------

  get view() {
    if (this.#view) return this.#view;
    const view = fitted(this.points, this.settings.intercept);
    if (this.points.length) this.#view = view; // it stays while points are added
    return view;
  }

  // The view that is the same for other points; null where there is none yet.
  get fixedView() {
    return this.#view;
  }

  // null sees all points.
  look(view) {
    this.#view = view;
    this.#emit("view");
    if (this.run) this.#emit("position");
  }
}
