// The address of the page has everything that it shows, so that a link reproduces it: points, settings, position, view.

const POINT = /^([-+.\deE]+),([-+.\deE]+)([pn])$/;
const PLAIN = ["rule", "order", "seed", "passes"]; // settings that are written as they are
const FIELDS = ["p", ...PLAIN, "intercept", "kernel", "t", "view"];
const DELAY = 250; // milliseconds without a move, after which a position is written

class LinkError extends Error {}

export function encode({ points, settings, t, fixedView, schema }) {
  const parts = ["p=" + points.map(([a, b, y]) => `${a},${b}${y > 0 ? "p" : "n"}`).join(";")];
  for (const name of PLAIN) {
    if (settings[name] !== schema.settings[name].default) parts.push(`${name}=${settings[name]}`);
  }
  if (!settings.intercept) parts.push("intercept=no");
  if (settings.kernel) {
    const { name } = settings.kernel;
    parts.push("kernel=" + [name, ...schema.parametersOf(name).map((each) => settings.kernel[each])].join(","));
  }
  parts.push(`t=${t}`);
  if (fixedView) parts.push(`view=${fixedView.join(",")}`);
  return "#" + parts.join("&");
}

// The state in an address; null where it has none. What cannot be read is a LinkError.
export function decode(hash, schema) {
  if (hash.length < 2) return null;
  const given = fields(hash);
  const settings = schema.defaults();
  for (const name of ["rule", "order"]) {
    settings[name] = oneOf(name, given.get(name) ?? settings[name], Object.keys(schema.settings[name].choices));
  }
  for (const name of ["seed", "passes"]) settings[name] = whole(name, given.get(name) ?? settings[name]);
  settings.intercept = oneOf("intercept", given.get("intercept") ?? "yes", ["yes", "no"]) === "yes";
  if (given.has("kernel")) settings.kernel = kernel((given.get("kernel") || "").split(","), schema);
  return {
    points: (given.get("p") || "").split(";").filter(Boolean).map(point),
    settings,
    t: whole("t", given.get("t") ?? 0),
    view: given.has("view") ? view((given.get("view") || "").split(",").map(Number), schema.limits.view) : null,
  };
}

function fields(hash) {
  let text;
  try {
    text = decodeURIComponent(hash.slice(1));
  } catch {
    throw new LinkError("it has characters that no address has");
  }
  const parts = text.split("&").map((part) => part.split("=", 2));
  const given = new Map(parts);
  if (given.size < parts.length) throw new LinkError("it has a field twice");
  for (const name of given.keys()) {
    if (!FIELDS.includes(name)) throw new LinkError(`it has a field “${shortened(name)}”, which is not known`);
  }
  return given;
}

function point(text, place) {
  const match = POINT.exec(text);
  const numbers = match && [Number(match[1]), Number(match[2])];
  if (!match || !numbers.every(Number.isFinite)) throw new LinkError(`point ${place} is “${shortened(text)}”`);
  return [...numbers, match[3] === "p" ? 1 : -1];
}

function kernel([name, ...values], schema) {
  oneOf("kernel", name, Object.keys(schema.settings.kernel.choices));
  const parameters = schema.parametersOf(name);
  const numbers = values.map(Number);
  if (numbers.length !== parameters.length || !numbers.every(Number.isFinite)) {
    throw new LinkError(`the kernel ${name} has ${parameters.join(" and ") || "no parameters"}`);
  }
  return schema.kernel(name, Object.fromEntries(parameters.map((each, place) => [each, numbers[place]])));
}

function view(ends, limit) {
  if (ends.length === 4 && ends.every((end) => Math.abs(end) <= limit) && ends[0] < ends[1] && ends[2] < ends[3]) return ends;
  throw new LinkError("its view must be four numbers, left, right, bottom and top, none beyond ten million");
}

function oneOf(name, value, choices) {
  if (!choices.includes(value)) throw new LinkError(`its ${name} is “${shortened(value)}”, but must be one of ${choices.join(", ")}`);
  return value;
}

function whole(name, value) {
  const number = Number(value);
  if (!Number.isSafeInteger(number) || number < 0) throw new LinkError(`its ${name} is “${shortened(value)}”, not a whole number`);
  return number;
}

const shortened = (text) => (String(text).length > 40 ? String(text).slice(0, 40) + "…" : String(text));

// Keeps the address of the page and the session in step.
export class AddressBar {
  #written = null;
  #timer = null;

  // `fallback` is called with a notice where the address has no state, or none that can be read.
  constructor(session, fallback) {
    Object.assign(this, { session, fallback });
    for (const event of ["problem", "view"]) session.on(event, () => this.#write());
    session.on("position", () => this.#writeSoon());
    addEventListener("hashchange", () => this.read());
  }

  read() {
    if (location.hash === this.#written) return;
    try {
      const state = decode(location.hash, this.session.schema);
      if (state) this.session.open(state);
      else this.fallback("");
    } catch (error) {
      if (!(error instanceof LinkError)) throw error;
      this.fallback(`This link cannot be read: ${error.message}. Here is an example instead.`);
    }
  }

  #write() {
    clearTimeout(this.#timer);
    this.#written = encode(this.session);
    history.replaceState(null, "", this.#written);
  }

  // A long address takes a while to write, and browsers limit how often it may be written.
  #writeSoon() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#write(), DELAY);
  }
}
