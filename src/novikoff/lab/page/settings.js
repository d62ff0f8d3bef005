// The card with the settings. Its controls are made from the server's schema.

import { byId, html, option, set } from "./dom.js";
import { showError } from "./messages.js";

export class SettingsCard {
  constructor(session) {
    this.session = session;
    const { rule, order, seed, passes, intercept, kernel } = session.schema.settings;
    this.labels = {
      rule: select("rule", rule.label, Object.entries(rule.choices)),
      order: select("order", order.label, Object.entries(order.choices)),
      seed: numberInput("seed", seed),
      passes: numberInput("passes", passes),
      intercept: checkbox("intercept", intercept.label),
      kernel: select("kernel", kernel.label, [["", kernel.none], ...Object.entries(kernel.choices).map(([name, { text }]) => [name, text])]),
      ...Object.fromEntries(Object.entries(kernel.parameters).map(([name, parameter]) => [name, numberInput(name, parameter)])),
    };
    byId("settings").replaceChildren(...Object.values(this.labels));
    for (const label of Object.values(this.labels)) label.addEventListener("change", () => this.#changed());
    session.on("problem", () => this.#show());
  }

  #show() {
    const { settings, schema } = this.session;
    for (const name of ["rule", "order", "seed", "passes"]) byId(name).value = settings[name];
    byId("intercept").checked = settings.intercept;
    byId("kernel").value = settings.kernel?.name ?? "";
    const parameters = schema.parametersOf(settings.kernel?.name);
    for (const name of Object.keys(schema.settings.kernel.parameters)) {
      this.labels[name].hidden = !parameters.includes(name);
      if (parameters.includes(name)) byId(name).value = settings.kernel[name];
    }
  }

  #changed() {
    const { session } = this;
    const { schema } = session;
    const kernel = byId("kernel").value;
    const same = kernel === (session.settings.kernel?.name ?? ""); // the parameters in sight are those of the kernel before
    const parameters = same ? schema.parametersOf(kernel) : [];
    const wrong = ["seed", "passes", ...parameters].find((name) => !byId(name).value.trim() || !byId(name).validity.valid);
    if (wrong) {
      const { label, low, high, whole } = schema.settings[wrong] ?? schema.settings.kernel.parameters[wrong];
      showError(`${label}: must be a ${whole ? "whole " : ""}number from ${low} to ${high}.`);
      return;
    }
    const values = Object.fromEntries(parameters.map((name) => [name, Number(byId(name).value)]));
    session.edit({
      settings: {
        rule: byId("rule").value,
        order: byId("order").value,
        seed: Number(byId("seed").value),
        passes: Number(byId("passes").value),
        intercept: byId("intercept").checked,
        kernel: schema.kernel(kernel, values),
      },
    });
  }
}

const labelled = (label, input) => html("label", {}, `${label} `, input);

const select = (id, label, choices) => labelled(label, html("select", { id }, ...choices.map(([value, text]) => option(value, text))));

const numberInput = (id, { label, low, high, whole }) =>
  labelled(label, set(html("input", { id, type: "number" }), { min: low, max: high, step: whole ? 1 : "any" }));

const checkbox = (id, label) => html("label", { className: "choice" }, html("input", { id, type: "checkbox" }), label);
