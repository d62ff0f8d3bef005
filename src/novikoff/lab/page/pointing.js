// Adding, moving and erasing points of the plane, by pointer and by keyboard.

import { vector, signed } from "./numbers.js";

const NEAR = { mouse: 12, pen: 16, touch: 24 }; // pixels within which a point is meant
const DRAG = 4; // pixels after which a press is a drag
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

// `actions` has add(x, y, near), move(place, x, y, done), erase(place), announce(sentence).
export function listenToPointer(plane, actions) {
  const { node } = plane;
  const pixel = (event) => {
    const box = node.getBoundingClientRect();
    return [event.clientX - box.left - node.clientLeft, event.clientY - box.top - node.clientTop];
  };
  let press = null;
  node.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || !event.isPrimary) return;
    node.setPointerCapture(event.pointerId);
    press = { from: pixel(event), place: plane.nearest(pixel(event), NEAR[event.pointerType] ?? NEAR.mouse), dragged: false };
  });
  node.addEventListener("pointermove", (event) => {
    if (!press) return;
    const here = pixel(event);
    press.dragged ||= Math.hypot(here[0] - press.from[0], here[1] - press.from[1]) > DRAG;
    if (press.dragged && press.place !== null) actions.move(press.place, ...plane.coordinates(here), false);
  });
  node.addEventListener("pointerup", (event) => {
    if (!press) return;
    const { place, dragged } = press;
    press = null;
    if (dragged && place !== null) actions.move(place, ...plane.coordinates(pixel(event)), true);
    else if (!dragged) actions.add(...plane.coordinates(pixel(event)), place);
  });
  node.addEventListener("pointercancel", () => (press = null));
  node.addEventListener("contextmenu", (event) => {
    const place = plane.nearest(pixel(event), NEAR.mouse);
    event.preventDefault();
    if (place !== null) actions.erase(place);
  });
}

// Arrow keys move a cross; Enter adds a point there; M picks one up and puts it down; Delete erases it.
export class Cursor {
  #at = null; // pixel
  #carried = null; // number of a point

  constructor(plane, actions) {
    Object.assign(this, { plane, actions });
    plane.node.addEventListener("keydown", (event) => this.#key(event));
    plane.node.addEventListener("blur", () => this.#leave());
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.#act(event)) return;
    event.preventDefault();
    event.stopPropagation();
    this.#show();
    if (event.key in ARROWS) this.actions.announce(this.#description());
  }

  // Whether the key means something here.
  #act({ key, shiftKey }) {
    if (key in ARROWS) this.#step(ARROWS[key], shiftKey ? 5 : 1);
    else if (!this.#at) return false;
    else if (key === "Enter") this.actions.add(...this.#coordinates(), this.#near());
    else if (key === "Delete" || key === "Backspace") this.#erase();
    else if (key.toLowerCase() === "m") this.#pickUpOrPutDown();
    else return false;
    return true;
  }

  #step(direction, strides) {
    const { width, height } = this.plane;
    const stride = strides * Math.max(2, Math.round(width / 60));
    this.#at ??= [width / 2, height / 2];
    this.#at = this.#at.map((at, k) => Math.min(Math.max(at + stride * direction[k], 0), [width, height][k]));
    if (this.#carried !== null) this.actions.move(this.#carried, ...this.#coordinates(), false);
  }

  #erase() {
    if (this.#near() !== null) this.actions.erase(this.#near());
  }

  #pickUpOrPutDown() {
    if (this.#carried !== null) this.actions.move(this.#carried, ...this.#coordinates(), true);
    this.#carried = this.#carried === null ? this.#near() : null;
  }

  #leave() {
    if (this.#carried !== null) this.#pickUpOrPutDown();
    this.#at = this.#carried = null;
    this.#show();
  }

  #coordinates() {
    return this.plane.coordinates(this.#at);
  }

  #near() {
    return this.plane.nearest(this.#at, NEAR.touch);
  }

  #description() {
    const place = this.#near();
    const near = place === null ? "" : `, at point ${place} of class ${signed(this.plane.points[place][2])}`;
    return `${vector(this.#coordinates())}${near}${this.#carried === null ? "" : ", carried"}`;
  }

  #show() {
    this.plane.showCursor(this.#at, this.#carried !== null);
  }
}
