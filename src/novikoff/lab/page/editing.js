// The controls above the plane, and the plane itself: presets, points, undo, zoom.

import { byId, option } from "./dom.js";
import { announce, showError } from "./messages.js";
import { amount, signed, vector } from "./numbers.js";
import { Cursor, listenToPointer } from "./pointing.js";
import { zoomed } from "./view.js";

const ZOOM = 1.4;

const tool = () => document.querySelector("input[name=tool]:checked").value;

export class Editing {
  #before = null; // the problem before a point is moved

  constructor(session, plane) {
    this.session = session;
    const none = Object.assign(option("", "…"), { disabled: true });
    byId("preset").replaceChildren(none, ...session.schema.presets.map(({ name, title }) => option(name, title)));
    session.on("problem", () => this.#show());
    const actions = { add: this.#add, move: this.#move, erase: this.#erase, announce };
    listenToPointer(plane, actions);
    new Cursor(plane, actions);
    this.#listen();
  }

  #listen() {
    const { session } = this;
    const click = (id, done) => byId(id).addEventListener("click", done);
    const zoom = (factor) => session.look(zoomed(session.view, factor, session.schema.limits.view / 2));
    click("undo", () => session.undo());
    click("redo", () => session.redo());
    click("clear", () => session.edit({ points: [] }));
    click("closer", () => zoom(1 / ZOOM));
    click("farther", () => zoom(ZOOM));
    click("whole", () => session.look(null));
    byId("preset").addEventListener("change", () => {
      const { name, points, settings } = session.schema.preset(byId("preset").value);
      session.edit({ points, settings: { ...session.schema.defaults(), ...settings } }, { fit: true, at: 0 });
      this.introducePreset(name);
    });
  }

  #show() {
    const { session } = this;
    byId("undo").disabled = !session.canUndo;
    byId("redo").disabled = !session.canRedo;
    byId("clear").disabled = !session.points.length;
    byId("preset").value = "";
    byId("about").textContent = "";
  }

  // A sentence about the points, until they are others.
  introduce(sentence) {
    announce(sentence);
    byId("about").textContent = sentence;
  }

  introducePreset(name) {
    const { title, about } = this.session.schema.preset(name);
    byId("preset").value = name;
    this.introduce(`${title}: ${about}`);
  }

  // ---- points --------------------------------------------------------------------------------------------------------------

  #add = (x, y, near) => {
    const { session } = this;
    if (tool() === "erase") return near === null ? undefined : this.#erase(near);
    const most = session.schema.limits.points;
    if (session.points.length >= most) {
      return showError(`The lab takes at most ${amount(most, "point")}. The library itself has no such limit.`);
    }
    const label = tool() === "plus" ? 1 : -1;
    session.edit({ points: [...session.points, [x, y, label]] });
    return announce(`Point ${session.points.length - 1} of class ${signed(label)} at ${vector([x, y])}.`);
  };

  #move = (place, x, y, done) => {
    const { session } = this;
    this.#before ??= session.request();
    const points = session.points.map((point, k) => (k === place ? [x, y, point[2]] : point));
    if (!done) return session.preview(points);
    session.editFrom(this.#before, { points });
    this.#before = null;
    return undefined;
  };

  #erase = (place) => {
    this.session.edit({ points: this.session.points.filter((_, k) => k !== place) });
    announce("Erased.");
  };
}
