// The sentences about a run. Every number in them was computed by the server.

import { amount, count, formatted, signed, vector } from "./numbers.js";

// One example: its score, whether that was a mistake, and how the weights changed.
export function exampleText(example, rows, settings) {
  const begin = `Pass ${count(example.pass)}, example ${example.place + 1} of ${rows}: point ${example.row}, x = ${vector(example.x)}, y = ${signed(example.y)}.`;
  const product = example.before ? `y·(w·x${settings.intercept ? " + b" : ""}) = ${productText(example, settings)}` : "y·f(x) = ";
  const value = `${product}${formatted(example.margin)}`;
  if (!example.update) return `${begin} ${value} > 0: right, and nothing changes.`;
  const judged = example.mistake ? `${value} ≤ 0, a mistake` : `${value}: right, but barely`;
  return `${begin} ${judged}: ${changeText(example, settings)}.`;
}

function productText({ before, x, y }, { intercept }) {
  const terms = [`${formatted(before[0])}·${formatted(x[0])}`, `${formatted(before[1])}·${formatted(x[1])}`, ...(intercept ? [formatted(before[2])] : [])];
  return `${signed(y)}·(${terms.join(" + ").replaceAll("+ −", "− ")}) = `;
}

function changeText({ after, y, step, row }, { intercept }) {
  const times = step === 1 ? "" : `${formatted(step)}·`;
  const sign = y > 0 ? "+" : "−";
  if (!after) return `f ← f ${sign} ${times}K(x${subscript(row)}, ·)`;
  const bias = intercept ? `, b ← ${formatted(after[2])}` : "";
  return `w ← w ${sign} ${times}x = ${vector(after.slice(0, 2))}${bias}`;
}

const subscript = (number) => String(number).replace(/\d/g, (digit) => "₀₁₂₃₄₅₆₇₈₉"[digit]);

export const startText = "No example has been handled yet: w = 0.";

// Why there is no run.
export function missingText(points) {
  if (!points.length) return "Click on the plane to add points of both classes, or start from one of the presets.";
  const labels = new Set(points.map((point) => point[2]));
  return labels.size === 1 ? `All points are of class ${signed(points[0][2])}: add one of the other class.` : "";
}

export function positionText({ run, t, k, settings }) {
  const update = settings.rule === "rosenblatt" ? "Mistake" : "Update";
  const parts = [[update, k, run.last], ["example", t, run.examples], ["pass", Math.ceil(t / run.rows), run.passes.length]];
  return parts.map(([name, now, all]) => `${name} ${count(now)} of ${count(all)}`).join(" · ");
}

export function gaugeText(run, made) {
  const { bound, bound_by_losses: losses } = run;
  const origin = run.origin === null ? "" : ` ${run.origin}`;
  if (bound.value !== undefined) {
    const space = run.kernel ? " R and γ are those of the kernel’s space." : run.extended ? " R and γ count the bias as a weight: they are those of the extended space." : "";
    const most = `no order and no number of passes makes more than ${formatted(bound.value)}`;
    return `${amount(made, bound.of.replace(/s$/, ""))} so far; ${most}: ${bound.theorem}, with R = ${formatted(run.radius)} and γ = ${formatted(run.gamma)}.${space}${origin}`;
  }
  const passes = amount(run.passes.length, "pass", "passes");
  const other = losses.value === undefined ? "" : ` The hinge losses allow no more than ${formatted(losses.value)} in ${passes}: ${losses.theorem}.`;
  return `${count(made)} so far. (R/γ)² says nothing here: ${bound.why}.${other}${origin}`;
}

export function proofText(run, k) {
  const { floor, along, norm, ceiling } = run.columns;
  if (!along) return "Without a separator u there is no γ: only ‖w‖ can be drawn.";
  if (!floor) return "The rounding errors of this run are larger than the margin: the curves would mean nothing.";
  const crossing = `The outer curves cross at ${formatted(run.bound.value)}: no run makes more.`;
  if (!k) return crossing;
  return `After ${count(k)}: ${[floor, along, norm, ceiling].map((column) => formatted(column[k])).join(" ≤ ")}. ${crossing}`;
}

export function intervalText(run, k) {
  const { high, low } = run.columns;
  if (!k) return "Each mistake bounds the margin γ* from above, without knowing it.";
  const upper = `${amount(k, "update")} ${k === 1 ? "proves" : "prove"} that no separator has a ${run.extended ? "margin in the extended space" : "margin"} above ${formatted(high[k])}`;
  if (!low) return `${upper}.`;
  return low[k] > 0 ? `${upper}; the best weights so far have ${formatted(low[k])}.` : `${upper}; no weights so far separate.`;
}

export function angleText(run, k) {
  if (!run.columns.cosine) return "There is no separator u.";
  return k && run.columns.cosine[k] !== null ? `cos(w, u) = ${formatted(run.columns.cosine[k])}.` : "w = 0 has no direction yet.";
}

export function updateText(example) {
  if (!example) return "No update yet.";
  if (!example.update) return "This example changed nothing.";
  if (!example.before) return "The update is in the kernel’s space: there is no arrow to draw.";
  const times = example.step === 1 ? "" : `${formatted(example.step)}·`;
  return `${vector(example.before.slice(0, 2))} ${example.y > 0 ? "+" : "−"} ${times}${vector(example.x)} = ${vector(example.after.slice(0, 2))}`;
}

export function ordersText({ given, once, each, of, unfinished, bound }) {
  const all = 1 + once.length + each.length;
  const cut = unfinished ? ` ${count(unfinished)} of ${amount(all, "run")} ended before a clean pass: allow more passes.` : "";
  const limit = bound === null ? "" : ` The bound ${formatted(bound)} holds for every order.`;
  const shuffled = [["once", once], ["in each pass", each]].filter(([, values]) => values.length);
  const ranges = shuffled.map(([how, values]) => ` Shuffled ${how}, ${amount(values.length, "time")}: ${range(values)}.`);
  return `As given: ${amount(given[0], of.replace(/s$/, ""))}.${ranges.join("")}${cut}${limit}`;
}

function range(values) {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return least === most ? count(least) : `${count(least)} to ${count(most)}`;
}
