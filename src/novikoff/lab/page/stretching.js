// The card that stretches the plane, stage by stage.

import { ask } from "./api.js";
import { withButton } from "./buttons.js";
import { byId, describe, set, svg } from "./dom.js";
import { arrow, line } from "./draw.js";
import { amount, count } from "./numbers.js";

const SIZE = 300; // of the drawing
const RADIUS = 120; // of the circle

export function stretching(session) {
  const [button, card, slider] = [byId("rescale"), byId("stretched"), byId("stage")];
  let stages = [];
  const show = () => {
    const at = Number(slider.value);
    draw(byId("stages"), stages[at]);
    const last = stages.length - 1;
    describe(byId("stages"), byId("stage-text"), `Stretched ${count(at)} of ${amount(last, "time")}, ${amount(stages[at].steps, "step")} so far`);
  };
  session.on("problem", () => {
    card.hidden = true;
    byId("rescaled").textContent = "";
  });
  session.on("run", () => { button.disabled = !session.run; });
  slider.addEventListener("input", show);
  button.addEventListener("click", () => withButton(button, async () => {
    const { run } = session;
    const answer = await ask("api/rescale", session.request());
    if (session.run !== run) return; // the points are others by now
    stages = answer.stages;
    card.hidden = false;
    byId("rescaled").textContent = answer.why;
    set(slider, { max: stages.length - 1 });
    slider.value = 0;
    show();
  }));
}

// The rows in the stretched space, what became of the circle that they were on, and the line so far.
function draw(drawing, { rows, space, w }) {
  const at = ([a, b]) => [SIZE / 2 + a * RADIUS, SIZE / 2 - b * RADIUS];
  const turns = Array.from({ length: 73 }, (_, k) => (k * Math.PI) / 36).map((angle) => [Math.cos(angle), Math.sin(angle)]);
  const images = turns.map(([a, b]) => [a * space[0][0] + b * space[1][0], a * space[0][1] + b * space[1][1]]);
  const longest = Math.max(...images.map((image) => Math.hypot(...image)));
  const ellipse = images.map((image) => at(image.map((each) => each / longest)).map((each) => each.toFixed(1)).join(" "));
  const parts = [svg("path", { class: "curve stretched", d: `M${ellipse.join("L")}z` })];
  for (const row of rows) {
    const [cx, cy] = at(row);
    parts.push(line("row", at([0, 0]), [cx, cy]), svg("circle", { class: "point plus", cx, cy, r: 4 }));
  }
  if (w) {
    const norm = Math.hypot(...w) || 1;
    const [a, b] = w.map((each) => each / norm);
    parts.push(line("hyperplane", at([-1.2 * b, 1.2 * a]), at([1.2 * b, -1.2 * a])), arrow("after", at([0, 0]), at([a * 0.6, b * 0.6])));
  }
  set(drawing, { viewBox: `0 0 ${SIZE} ${SIZE}` }).replaceChildren(...parts);
}
