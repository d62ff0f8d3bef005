// The card that compares other orders of the same points.

import { ask } from "./api.js";
import { withButton } from "./buttons.js";
import { dots } from "./charts.js";
import { byId, describe } from "./dom.js";
import { ordersText } from "./words.js";

const PASSES = 6000; // of all runs together, about

export function orders(session) {
  const [button, card] = [byId("orders"), byId("compared")];
  session.on("problem", () => {
    card.hidden = true;
    byId("orders-text").textContent = "";
  });
  session.on("run", () => { button.disabled = !session.run; });
  button.addEventListener("click", () => withButton(button, async () => {
    const { run } = session;
    const runs = Math.max(3, Math.min(30, Math.floor(PASSES / run.passes.length)));
    const answer = await ask("api/orders", session.request({ runs }));
    if (session.run !== run) return; // the points are others by now
    card.hidden = false;
    const rows = [["as given", answer.given], ["once", answer.once], ["each pass", answer.each]];
    dots(byId("ordered"), rows.map(([name, values]) => ({ name, values })), answer.bound);
    describe(byId("ordered"), byId("orders-text"), ordersText(answer));
  }));
}
