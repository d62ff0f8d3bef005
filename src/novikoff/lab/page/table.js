// The card with the points as CSV: pasted, uploaded, or written from the plane.

import { ask } from "./api.js";
import { withButton } from "./buttons.js";
import { byId } from "./dom.js";
import { showError } from "./messages.js";
import { amount, count } from "./numbers.js";

// `introduce` shows a sentence about the points, until they are others.
export function table(session, introduce) {
  const [text, file] = [byId("csv"), byId("file")];
  const most = session.schema.limits.bytes / 2; // of a file, since its points are longer in a request
  const use = () => withButton(byId("use"), async () => {
    const { points, labels } = await ask("api/csv", { text: text.value });
    session.edit({ points }, { fit: true, at: 0 });
    introduce(`${amount(points.length, "point")}: +1 is ${labels["1"]}, −1 is ${labels["-1"]}.`);
  });
  byId("use").addEventListener("click", use);
  byId("write").addEventListener("click", () => {
    text.value = ["x1,x2,label", ...session.points.map((point) => point.join(","))].join("\n");
  });
  file.addEventListener("change", async () => {
    const [chosen] = file.files;
    if (!chosen) return;
    if (chosen.size > most) {
      showError(`${chosen.name} is larger than ${count(most)} bytes: give fewer rows here, or all of them to “novikoff fit”.`);
      return;
    }
    text.value = await chosen.text();
    file.value = "";
    use();
  });
}
