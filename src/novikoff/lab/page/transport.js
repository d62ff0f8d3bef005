// Moving through the run: by steps, by the slider, by playing it, and by keys.

import { byId, set } from "./dom.js";
import { positionText } from "./words.js";

const SPEEDS = [0.5, 1, 3, 10, 30, 60, 200]; // steps a second
const BUTTONS = ["rewind", "back", "play", "example", "mistake", "pass", "end", "scrub"];
const KEYS = { " ": "play", ArrowRight: "mistake", ArrowLeft: "back", e: "example", p: "pass", Home: "rewind", End: "end" };

export class Transport {
  #playing = null; // the next frame

  constructor(session) {
    this.session = session;
    session.on("problem", () => this.#pause());
    session.on("run", () => this.#showRun());
    session.on("position", () => this.#showPosition());
    this.#showSpeed();
    this.#listen();
  }

  #listen() {
    const { session } = this;
    const move = (id, event, target) => byId(id).addEventListener(event, () => {
      this.#pause();
      if (session.run) session.go(target());
    });
    move("rewind", "click", () => 0);
    move("back", "click", () => session.run.previousUpdate(session.t));
    for (const unit of ["example", "mistake", "pass"]) move(unit, "click", () => session.run.next(unit, session.t));
    move("end", "click", () => Infinity);
    move("scrub", "input", () => session.run.afterUpdate(Number(byId("scrub").value)));
    byId("play").addEventListener("click", () => (this.#playing ? this.#pause() : this.#play()));
    byId("speed").addEventListener("input", () => {
      this.#showSpeed();
      if (!this.#playing) return;
      this.#pause();
      this.#play();
    });
    document.addEventListener("keydown", (event) => this.#key(event));
  }

  #showRun() {
    const { run } = this.session;
    for (const id of BUTTONS) byId(id).disabled = !run;
    set(byId("scrub"), { max: run ? run.last : 0 });
    if (!run) byId("where").textContent = "Nothing to learn from yet";
  }

  #showPosition() {
    byId("scrub").value = this.session.k;
    byId("where").textContent = positionText(this.session);
    set(byId("scrub"), { "aria-valuetext": byId("where").textContent });
  }

  #showSpeed() {
    byId("speed-text").textContent = `${SPEEDS[byId("speed").value]} a second`;
    set(byId("speed"), { "aria-valuetext": byId("speed-text").textContent });
  }

  #play() {
    const { session } = this;
    if (!session.run) return;
    if (session.atEnd) session.go(0);
    byId("play").textContent = "Pause";
    byId("words").setAttribute("aria-live", "off");
    const began = performance.now();
    let steps = 0;
    const frame = (now) => {
      const due = Math.floor(((now - began) / 1000) * SPEEDS[byId("speed").value]);
      let { t } = session;
      for (; steps < due; steps++) t = Math.min(session.run.next(byId("unit").value, t), session.run.examples);
      if (t !== session.t) session.go(t);
      if (session.atEnd) this.#pause();
      else this.#playing = requestAnimationFrame(frame);
    };
    this.#playing = requestAnimationFrame(frame);
  }

  #pause() {
    if (this.#playing) cancelAnimationFrame(this.#playing);
    this.#playing = null;
    byId("play").textContent = "Play";
    byId("words").setAttribute("aria-live", "polite");
  }

  #key(event) {
    const { target } = event;
    if (event.ctrlKey || event.metaKey) return this.#undoKey(event);
    if (event.altKey || target.closest("input, select, textarea, button, a, [role=region]")) return;
    const id = KEYS[event.key] ?? KEYS[event.key.toLowerCase()];
    if (!id || byId(id).disabled) return;
    event.preventDefault();
    byId(id).click();
  }

  #undoKey(event) {
    if (event.target.closest("textarea, input:not([type=range], [type=radio], [type=checkbox])")) return;
    const redo = event.key === "y" || (event.shiftKey && event.key.toLowerCase() === "z");
    if (!redo && event.key !== "z") return;
    event.preventDefault();
    if (redo) this.session.redo();
    else this.session.undo();
  }
}
