// What happened, in words. Every number in them was computed by the engine.

import { counted, told, vector } from "./draw.js";

const signed = (y) => (y > 0 ? "+1" : "−1");

// One example: what was computed, whether that was a mistake, and what became of the weights.
export function exampleSaid(look, rows, settings) {
  const begun = `Pass ${counted(look.pass)}, example ${look.place + 1} of ${rows}: point ${look.row}, x = ${vector(look.x)}, y = ${signed(look.y)}.`;
  const asked = look.before ? `y·(w·x${settings.intercept ? " + b" : ""}) = ${product(look, settings)}` : "y·f(x) = ";
  const value = `${asked}${told(look.margin)}`;
  if (!look.update) return `${begun} ${value} > 0: right, and nothing changes.`;
  const judged = look.mistake ? `${value} ≤ 0, a mistake` : `${value}: right, but barely`;
  return `${begun} ${judged}: ${changed(look, settings)}.`;
}

function product({ before, x, y }, { intercept }) {
  const terms = [`${told(before[0])}·${told(x[0])}`, `${told(before[1])}·${told(x[1])}`, ...(intercept ? [told(before[2])] : [])];
  return `${signed(y)}·(${terms.join(" + ").replaceAll("+ −", "− ")}) = `;
}

function changed({ after, y, step, row }, { intercept }) {
  const times = step === 1 ? "" : `${told(step)}·`;
  const sign = y > 0 ? "+" : "−";
  if (!after) return `f ← f ${sign} ${times}K(x${subscript(row)}, ·)`;
  const bias = intercept ? `, b ← ${told(after[2])}` : "";
  return `w ← w ${sign} ${times}x = ${vector(after.slice(0, 2))}${bias}`;
}

const subscript = (number) => String(number).replace(/\d/g, (digit) => "₀₁₂₃₄₅₆₇₈₉"[digit]);

// What is lacking before there is anything to learn; nothing, where there is.
export function lackingSaid(points) {
  if (!points.length) return "Click on the plane to add points of both classes, or start from one of the presets.";
  const [yes, no] = [1, -1].map((label) => points.some((point) => point[2] === label));
  return yes && no ? "" : `All points are of class ${yes ? "+1" : "−1"}: add one of the other class.`;
}

export const startSaid = () => "Nothing has been looked at yet: w = 0.";

export function gaugeSaid(run, k) {
  const { bound, bound_by_losses: losses } = run;
  const what = run.kernel ? "R and γ are those of the kernel's space. " : "";
  if (bound.value !== undefined) {
    return `${counted(k)} ${bound.of} so far; no order and no number of passes makes more than ${told(bound.value)}: ${bound.theorem}, with R = ${told(run.radius)} and γ = ${told(run.gamma)}. ${what}`;
  }
  const other = losses.value === undefined ? "" : ` With hinge losses instead, there can be no more than ${told(losses.value)} in ${passes(run)}: ${losses.theorem}.`;
  return `${counted(k)} so far. (R/γ)² says nothing here: ${bound.why}.${other}`;
}

const passes = (run) => (run.passes.length === 1 ? "one pass" : `${counted(run.passes.length)} passes`);

export function proofSaid(run, k) {
  const { floor, along, norm, ceiling } = run.columns;
  if (!along) return "Without a separator u there is no γ, and nothing to squeeze between.";
  if (!floor) return "In doubles the sums of this run are rounded by more than the margin: the curves would mean nothing.";
  if (!k) return `The outer curves cross at ${told(run.bound.value)}: no run goes further.`;
  return `After ${counted(k)}: ${told(floor[k])} ≤ ${told(along[k])} ≤ ${told(norm[k])} ≤ ${told(ceiling[k])}. The outer curves cross at ${told(run.bound.value)}: no further.`;
}

export function intervalSaid(run, k) {
  const { high, low } = run.columns;
  if (!k) return "Each mistake tells something about the margin γ*, also without knowing it.";
  const upper = `${counted(k)} updates prove that no separator has a margin above ${told(high[k])}`;
  if (!low) return `${upper}.`;
  return low[k] > 0 ? `${upper}; weights met so far have ${told(low[k])}.` : `${upper}; no weights met so far separate.`;
}

export function angleSaid(run, k) {
  if (!run.columns.cosine) return "There is no separator to turn to.";
  return k && run.columns.cosine[k] !== null ? `cos(w, u) = ${told(run.columns.cosine[k])}.` : "w = 0 has no direction yet.";
}

export function ordersSaid({ given, once, each, of, unfinished, bound }) {
  const cut = unfinished ? ` ${unfinished} of ${1 + once.length + each.length} runs were ended before a clean pass: allow more passes.` : "";
  const limit = `${cut}${bound === null ? "" : ` The bound ${told(bound)} holds for every order.`}`;
  return `As given: ${counted(given[0])} ${of}. Shuffled once, ${once.length} times: ${range(once)}. Shuffled in each pass, ${each.length} times: ${range(each)}.${limit}`;
}

const range = (values) => `${counted(Math.min(...values))} to ${counted(Math.max(...values))}`;
