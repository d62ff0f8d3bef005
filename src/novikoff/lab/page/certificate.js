// The card with the certificate: what is proved, and the rows that prove that no line separates.

import { byId, html } from "./dom.js";
import { signed, vector } from "./numbers.js";

export class CertificateCard {
  constructor(session) {
    this.session = session;
    session.on("run", () => this.#show());
    session.on("position", () => this.#showCycle());
  }

  #show() {
    const { run, points } = this.session;
    byId("certificate").textContent = run ? run.certificate.sentence : "";
    byId("checked").textContent = run ? run.checked : "";
    const rows = run ? run.certificate.rows : [];
    byId("multipliers").hidden = !rows.length;
    byId("multipliers").querySelector("tbody").replaceChildren(...rows.map((row, place) => rowOf(row, place, points, run.certificate)));
    if (!run) byId("cycle").hidden = true;
  }

  // A cycle is known when the run has ended in it.
  #showCycle() {
    const { run, atEnd } = this.session;
    byId("cycle").hidden = !(run.cycle && atEnd);
    byId("cycle").textContent = run.cycle ? `The run is a cycle: ${run.cycle}` : "";
  }
}

function rowOf(row, place, points, { multipliers, short_multipliers: short }) {
  const [a, b, y] = points[row];
  const cells = [row, vector([a, b]), signed(y)].map((text) => html("td", { textContent: text }));
  const exact = short[place] === multipliers[place] ? "" : multipliers[place];
  return html("tr", {}, ...cells, html("td", { textContent: short[place].replace("e+", "e"), title: exact }));
}
