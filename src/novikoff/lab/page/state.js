// The whole state of the page is in its address, so that a link reproduces it: points, settings, how far the run is, the view.

export const DEFAULTS = { rule: "rosenblatt", order: "given", seed: 0, passes: 1000, intercept: true, kernel: null };
const KERNELS = { linear: [], poly: ["degree", "coef0"], rbf: ["gamma"], laplacian: ["gamma"] };
const POINT = /^([-+.\deE]+),([-+.\deE]+)([pn])$/;
const FARTHEST = 1e7; // that is looked at
const RULES = ["rosenblatt", "margin"], ORDERS = ["given", "once", "each"];

export class LinkError extends Error {}

export function encoded({ points, settings, t, view }) {
  const parts = ["p=" + points.map(([a, b, y]) => `${a},${b}${y > 0 ? "p" : "n"}`).join(";")];
  for (const name of ["rule", "order", "seed", "passes"]) {
    if (settings[name] !== DEFAULTS[name]) parts.push(`${name}=${settings[name]}`);
  }
  if (!settings.intercept) parts.push("intercept=no");
  if (settings.kernel) {
    const { name } = settings.kernel;
    parts.push("kernel=" + [name, ...KERNELS[name].map((each) => settings.kernel[each])].join(","));
  }
  parts.push(`t=${t}`);
  if (view) parts.push(`view=${view.join(",")}`);
  return "#" + parts.join("&");
}

// The state that an address says; null where it says nothing. What cannot be read is a LinkError.
export function decoded(hash) {
  if (hash.length < 2) return null;
  let text;
  try {
    text = decodeURIComponent(hash.slice(1));
  } catch {
    throw new LinkError("it has signs that no address has");
  }
  const parts = text.split("&").map((part) => part.split("=", 2));
  const given = new Map(parts);
  if (given.size < parts.length) throw new LinkError("it says something twice");
  const settings = { ...DEFAULTS };
  const known = ["p", "rule", "order", "seed", "passes", "intercept", "kernel", "t", "view"];
  for (const name of given.keys()) {
    if (!known.includes(name)) throw new LinkError(`it says “${shortened(name)}”, which means nothing here`);
  }
  const points = (given.get("p") || "").split(";").filter(Boolean).map((part, place) => {
    const found = POINT.exec(part);
    const numbers = found && [Number(found[1]), Number(found[2])];
    if (!found || !numbers.every(Number.isFinite)) throw new LinkError(`point ${place} is “${shortened(part)}”`);
    return [...numbers, found[3] === "p" ? 1 : -1];
  });
  settings.rule = oneOf("rule", given.get("rule") ?? DEFAULTS.rule, RULES);
  settings.order = oneOf("order", given.get("order") ?? DEFAULTS.order, ORDERS);
  settings.seed = whole("seed", given.get("seed") ?? DEFAULTS.seed);
  settings.passes = whole("passes", given.get("passes") ?? DEFAULTS.passes);
  settings.intercept = oneOf("intercept", given.get("intercept") ?? "yes", ["yes", "no"]) === "yes";
  if (given.has("kernel")) settings.kernel = kernel((given.get("kernel") || "").split(","));
  const view = given.has("view") ? (given.get("view") || "").split(",").map(Number) : null;
  if (view && !(view.length === 4 && view.every((end) => Math.abs(end) <= FARTHEST) && view[0] < view[1] && view[2] < view[3])) {
    throw new LinkError("its view is not left, right, bottom and top, four numbers, none beyond ten millions");
  }
  return { points, settings, t: whole("t", given.get("t") ?? 0), view };
}

export function kernelOf(name, values = {}) {
  if (!name) return null;
  const usual = { degree: 2, gamma: 1, coef0: 1 };
  return { name, ...Object.fromEntries(KERNELS[name].map((each) => [each, values[each] ?? usual[each]])) };
}

export const parametersOf = (name) => (name ? KERNELS[name] : []);

function kernel([name, ...values]) {
  oneOf("kernel", name, Object.keys(KERNELS));
  const numbers = values.map(Number);
  if (numbers.length !== KERNELS[name].length || !numbers.every(Number.isFinite)) {
    throw new LinkError(`the kernel ${name} has ${KERNELS[name].join(" and ") || "no parameters"}`);
  }
  return { name, ...Object.fromEntries(KERNELS[name].map((each, place) => [each, numbers[place]])) };
}

function oneOf(name, value, among) {
  if (!among.includes(value)) throw new LinkError(`its ${name} is “${shortened(value)}”, which is none of ${among.join(", ")}`);
  return value;
}

function whole(name, value) {
  const number = Number(value);
  if (!Number.isSafeInteger(number) || number < 0) throw new LinkError(`its ${name} is “${shortened(value)}”, not a whole number`);
  return number;
}

const shortened = (text) => (String(text).length > 40 ? String(text).slice(0, 40) + "…" : String(text));
