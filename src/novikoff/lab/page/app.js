// The page. What it knows: the points, the settings, how many examples of the run have been handled; the rest it asks for.

import { Latest, Refused, ask, awaited } from "./api.js";
import { Addition, Curves, dots } from "./charts.js";
import { counted, element, set, told, vector } from "./draw.js";
import { Plane, arrow, line } from "./plane.js";
import { DEFAULTS, LinkError, decoded, encoded, kernelOf, parametersOf } from "./state.js";
import { angleSaid, exampleSaid, gaugeSaid, intervalSaid, lackingSaid, ordersSaid, proofSaid, startSaid } from "./words.js";

const SPEEDS = [0.5, 1, 3, 10, 30, 60, 200]; // steps a second
const GRID = 33; // values across a boundary
const FINE = 61; // the same where the boundary of the plane itself is curved
const TOLD = ["verdict", "stopped", "words", "where", "at-most", "gauged", "proved", "closing", "angled", "updated", "certificate", "checked"];
const [NEAREST, FARTHEST] = [1e-6, 5e6]; // how far the view is zoomed: in parts of its place, and in numbers
const BOUNDARIES = 100; // milliseconds from one question about boundaries to the next
const ORDERED = 6000; // passes in all of the runs in other orders, about
const PRESET = "clouds"; // to begin with

const by = (id) => document.getElementById(id);
const state = { points: [], settings: { ...DEFAULTS }, t: 0, view: null };
let [run, limits, presets] = [null, null, []]; // no run while one is awaited, and where the points were refused
let [past, future] = [[], []]; // points and settings before, and after what was undone
let notice = ""; // to be shown with the next run
let playing = null;
let asking = null; // the promise to ask for boundaries

// ---- what is asked, and what is done with the answers ------------------------------------------------------------------------

const problem = (more = {}) => ({ points: state.points, settings: state.settings, ...more });
const runs = new Latest("api/run", ran, (why) => { run = null; refuse(why); showRun(); });
const looks = new Latest("api/look", (look, { t }) => { if (run && t === state.t - 1) lookedAt(look); }, refuse);
const boundaries = new Latest("api/boundary", (answer, { t, columns }) => { if (run && t === state.t) showReadouts(answer, columns); }, refuse);

function refuse(why) {
  by("alert").textContent = why;
  by("alert").hidden = !why;
}

function ran(answer) {
  refuse(notice);
  notice = "";
  run = prepared(answer);
  if (wanted !== null) {
    state.t = wanted === Infinity ? run.examples : Math.min(wanted, run.examples);
    wanted = null;
  }
  showRun();
}

// The columns of the answer are of updates 1, 2, …; here they begin with 0, before the first.
function prepared(answer) {
  const from = (first, column) => (column ? [first, ...column] : null);
  const { updates } = answer;
  const columns = {
    t: from(-1, updates.t),
    w: from([0, 0, 0], updates.w),
    least: from(null, updates.least),
    norm: from(0, updates.norm),
    along: from(0, updates.along),
    mistakes: from(0, updates.mistakes),
    floor: from(0, answer.squeeze?.floor_now),
    ceiling: from(0, answer.squeeze?.ceiling_now),
    cosine: from(null, updates.cosine),
    high: from(null, updates.high),
    low: from(0, updates.low),
  };
  return { ...answer, columns, last: updates.t.length, gamma: answer.margin ? answer.margin.low : null };
}

// How many updates were made in the first t examples.
function updatesBefore(t) {
  let [low, high] = [0, run.last];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (run.columns.t[middle] < t) low = middle;
    else high = middle - 1;
  }
  return low;
}

// ---- changing the problem ------------------------------------------------------------------------------------------------------

let wanted = 0; // where to be in the run that is awaited

// After a change the run begins anew; who was looking at the end goes on looking at the end.
function changed({ fit = false, at = run && state.t > 0 && state.t === run.examples ? Infinity : 0 } = {}) {
  pause();
  [run, wanted] = [null, at]; // what was known was of other points
  if (fit) state.view = null;
  by("preset").value = "";
  by("about").textContent = "";
  looks.forget();
  boundaries.forget();
  state.t = at === Infinity ? state.t : at;
  showProblem();
  remember();
  const lacking = lackingSaid(state.points);
  if (!lacking) return runs.ask(problem());
  runs.forget();
  refuse("");
  showRun();
  by("words").textContent = lacking;
}

const problemNow = () => ({ points: state.points, settings: state.settings });

function edit(change, options) {
  past.push(problemNow());
  future = [];
  Object.assign(state, change);
  changed(options);
}

function travel(from, to) {
  if (!from.length) return;
  to.push(problemNow());
  Object.assign(state, from.pop());
  changed();
}

const tool = () => document.querySelector("input[name=tool]:checked").value;

const hands = {
  add(x, y, near) {
    if (tool() === "erase") return near === null ? undefined : hands.erase(near);
    if (limits && state.points.length >= limits.points) {
      return refuse(`There are ${limits.points} points, and no more are taken here: the library itself has no such limit.`);
    }
    edit({ points: [...state.points, [x, y, tool() === "plus" ? 1 : -1]] });
    said(`Point ${state.points.length - 1} of class ${tool() === "plus" ? "+1" : "−1"} at ${vector([x, y])}.`);
  },
  move(place, x, y, done) {
    const points = state.points.map((point, k) => (k === place ? [x, y, point[2]] : point));
    hands.before ??= problemNow();
    state.points = points;
    if (!done) return plane.show(points, viewOf());
    past.push(hands.before);
    [hands.before, future] = [null, []];
    changed();
  },
  erase(place) {
    edit({ points: state.points.filter((_, k) => k !== place) });
    said("Erased.");
  },
  said,
};

function said(sentence) {
  by("said").textContent = sentence;
}

// What the points are, until they are others.
function introduce(sentence) {
  said(sentence);
  by("about").textContent = sentence;
}

// ---- moving through the run ------------------------------------------------------------------------------------------------------

const steps = {
  example: () => state.t + 1,
  mistake: () => {
    const k = updatesBefore(state.t);
    return k < run.last ? run.columns.t[k + 1] + 1 : run.examples;
  },
  pass: () => (Math.floor(state.t / run.rows) + 1) * run.rows,
};

function go(t) {
  if (!run) return;
  state.t = Math.max(0, Math.min(t, run.examples));
  showPosition();
  rememberSoon();
}

function showSpeed() {
  by("speed-said").textContent = `${SPEEDS[by("speed").value]} a second`;
  set(by("speed"), { "aria-valuetext": by("speed-said").textContent });
}

const toUpdate = (k) => go(k > 0 ? run.columns.t[k] + 1 : 0);

function back() {
  const k = updatesBefore(state.t);
  toUpdate(state.t > run.columns.t[k] + 1 ? k : Math.max(0, k - 1));
}

function play() {
  if (!run || playing) return pause();
  if (state.t >= run.examples) state.t = 0;
  const began = { time: performance.now(), due: 0 };
  by("play").textContent = "Pause";
  by("words").setAttribute("aria-live", "off");
  const frame = (now) => {
    const due = Math.floor(((now - began.time) / 1000) * SPEEDS[by("speed").value]);
    const t = state.t;
    for (; began.due < due; began.due++) {
      state.t = Math.min(steps[by("unit").value](), run.examples);
    }
    if (state.t !== t) go(state.t);
    if (state.t >= run.examples) return pause();
    playing = requestAnimationFrame(frame);
  };
  playing = requestAnimationFrame(frame);
}

function pause() {
  if (playing) cancelAnimationFrame(playing);
  playing = null;
  by("play").textContent = "Play";
  by("words").setAttribute("aria-live", "polite");
}

// ---- the address ------------------------------------------------------------------------------------------------------------------

let address = null;
let late = null;

function remember() {
  clearTimeout(late);
  address = encoded(state);
  history.replaceState(null, "", address);
}

// When it has come to rest: a long address takes a while to write, and browsers count how often that is done.
function rememberSoon() {
  clearTimeout(late);
  late = setTimeout(remember, 250);
}

function fromAddress() {
  if (location.hash === address) return;
  let found = null;
  try {
    found = decoded(location.hash);
  } catch (error) {
    if (!(error instanceof LinkError)) throw error;
    notice = `This link cannot be read: ${error.message}. Here is an example instead.`;
  }
  if (found) {
    Object.assign(state, found);
    changed({ at: found.t });
  } else {
    fromPreset(PRESET);
  }
  [past, future] = [[], []]; // of other pages
  showProblem();
}

function fromPreset(name) {
  const preset = presets.find((each) => each.name === name);
  edit({ points: preset.points, settings: { ...DEFAULTS, ...preset.settings } }, { fit: true, at: 0 });
  by("preset").value = name;
  introduce(`${preset.title}: ${preset.about}`);
}

// ---- showing --------------------------------------------------------------------------------------------------------------------------

const plane = new Plane(by("plane"), hands);
const readouts = Object.fromEntries(["last", "averaged", "voted"].map((name) => [name, new Plane(by(name))]));
const proof = new Curves(by("proof"));
const interval = new Curves(by("interval"), { logarithmic: true });
const angle = new Curves(by("angle"));
const update = new Addition(by("update"));

function viewOf() {
  if (state.view) return state.view;
  if (!state.points.length) return [-2, 2, -2, 2];
  const origin = state.settings.intercept ? [] : [[0, 0]]; // through which every line goes without a bias
  const ends = [0, 1].map((k) => {
    const values = [...state.points, ...origin].map((point) => point[k]);
    return [Math.min(...values), Math.max(...values)];
  });
  const spread = Math.max(...ends.map(([low, high]) => high - low)) || Math.max(...ends.flat().map(Math.abs), 1);
  state.view = ends.flatMap(([low, high]) => [(low + high) / 2 - 0.65 * spread, (low + high) / 2 + 0.65 * spread]);
  return state.view;
}

function zoom(factor) {
  const [left, right, bottom, top] = viewOf();
  const around = (low, high) => [(low + high) / 2 - (factor * (high - low)) / 2, (low + high) / 2 + (factor * (high - low)) / 2];
  const farthest = Math.max(...viewOf().map(Math.abs));
  if (factor * (right - left) < NEAREST * farthest || factor * farthest > FARTHEST) return;
  state.view = [...around(left, right), ...around(bottom, top)];
  showProblem();
  showPosition();
  remember();
}

function showProblem() {
  plane.show(state.points, viewOf());
  for (const each of Object.values(readouts)) each.show(state.points, viewOf());
  by("undo").disabled = !past.length;
  by("redo").disabled = !future.length;
  by("clear").disabled = !state.points.length;
  const { settings } = state;
  for (const name of ["rule", "order", "seed", "passes"]) by(name).value = settings[name];
  by("intercept").checked = settings.intercept;
  by("kernel").value = settings.kernel?.name ?? "";
  for (const name of ["degree", "gamma", "coef0"]) {
    by(`l-${name}`).hidden = !parametersOf(settings.kernel?.name).includes(name);
    if (settings.kernel?.[name] !== undefined) by(name).value = settings.kernel[name];
  }
  for (const id of ["compared", "stretched"]) by(id).hidden = true;
  for (const id of ["orders-said", "rescaled"]) by(id).textContent = "";
}

function showRun() {
  const ready = Boolean(run);
  for (const id of ["rewind", "back", "play", "example", "mistake", "pass", "end", "scrub", "orders", "rescale"]) by(id).disabled = !ready;
  set(by("scrub"), { max: run ? run.last : 0 });
  if (!run) return showNothing();
  const { columns, squeeze } = run;
  by("root").textContent = squeeze ? squeeze.root : "√k·R";
  const until = squeeze ? squeeze.k.at(-1) : run.last;
  const inner = [{ kind: "norm", values: columns.norm }, { kind: "along", values: columns.along }].filter(({ values }) => values);
  const outer = squeeze ? ["ceiling", "floor"].map((kind) => ({ kind, values: spread(squeeze.k, squeeze[kind]), now: columns[kind] })) : [];
  proof.show([...outer, ...inner], run.last, { until });
  interval.show(
    [{ kind: "high", values: columns.high }, ...(columns.low ? [{ kind: "low", values: columns.low }] : [])],
    run.last,
    { level: run.gamma },
  );
  angle.show(columns.cosine ? [{ kind: "along", values: columns.cosine }] : [], run.last, { level: columns.cosine ? 1 : null });
  showCertificate();
  showPosition();
}

function showNothing() {
  for (const each of [plane, ...Object.values(readouts)]) {
    each.weights(null);
    each.explain({});
  }
  for (const chart of [proof, interval, angle]) chart.show([], 0);
  update.show(null);
  by("filled").style.width = 0;
  by("made").textContent = "0";
  for (const id of TOLD) by(id).textContent = "";
  for (const id of ["cycle", "multipliers"]) by(id).hidden = true;
  by("where").textContent = "Nothing to learn from yet";
  for (const svg of document.querySelectorAll("main [role=img]")) set(svg, { "aria-label": "Nothing yet" });
}

// Values at some of the k's, as a column of all of them.
function spread(k, values) {
  const column = new Array(k.at(-1) + 1).fill(null);
  k.forEach((each, place) => { column[each] = values[place]; });
  return column;
}

function showCertificate() {
  const { certificate, cycle } = run;
  by("verdict").textContent = certificate.sentence.split("\n")[0];
  by("stopped").textContent = run.stopped;
  by("certificate").textContent = certificate.sentence;
  by("cycle").hidden = !cycle;
  by("cycle").textContent = cycle ? `The run goes round in circles: ${cycle}` : "";
  by("checked").textContent = run.checked;
  const named = certificate.outcome === "inseparable";
  by("multipliers").hidden = !named;
  by("multipliers").querySelector("tbody").replaceChildren(
    ...(named ? certificate.rows : []).map((row, place) => {
      const [a, b, y] = state.points[row];
      const line = document.createElement("tr");
      for (const text of [row, vector([a, b]), y > 0 ? "+1" : "−1", certificate.multipliers[place]]) {
        line.append(Object.assign(document.createElement("td"), { textContent: text }));
      }
      return line;
    }),
  );
}

function showPosition() {
  if (!run) return;
  const k = updatesBefore(state.t);
  const { columns } = run;
  by("scrub").value = k;
  by("where").textContent =
    `${state.settings.rule === "rosenblatt" ? "Mistake" : "Update"} ${counted(k)} of ${counted(run.last)} · example ${counted(state.t)} of ${counted(run.examples)} · pass ${counted(Math.ceil(state.t / run.rows))} of ${counted(run.passes.length)}`;
  set(by("scrub"), { "aria-valuetext": by("where").textContent });
  if (!run.kernel) plane.weights(columns.w ? columns.w[k] : null, columns.least?.[k]);
  askBoundaries();
  for (const chart of [proof, interval, angle]) chart.follow(k);
  showGauge(k);
  by("proved").textContent = proofSaid(run, k);
  by("closing").textContent = intervalSaid(run, k);
  by("angled").textContent = angleSaid(run, k);
  for (const [id, about] of [["proof", "proved"], ["interval", "closing"], ["angle", "angled"]]) {
    set(by(id), { "aria-label": by(about).textContent });
  }
  if (state.t === 0) return lookedAt(null);
  if (columns.t[k] === state.t - 1) return lookedAt(updateLook(k));
  looks.ask(problem({ t: state.t - 1 }));
}

// While the run is scrubbed, now and then is enough.
function askBoundaries() {
  asking ??= awaited(() => new Promise((done) => setTimeout(done, BOUNDARIES))).then(() => {
    asking = null;
    if (!run) return;
    const grid = run.kernel ? FINE : GRID;
    boundaries.ask(problem({ t: state.t, view: plane.seen ?? viewOf(), columns: grid, rows: grid }));
  });
}

// What is known of an update without asking.
function updateLook(k) {
  const { updates, columns } = run;
  const row = updates.row[k - 1];
  return {
    pass: Math.floor((state.t - 1) / run.rows) + 1,
    place: (state.t - 1) % run.rows,
    row,
    x: state.points[row].slice(0, 2),
    y: updates.y[k - 1],
    margin: updates.margin[k - 1],
    mistake: !(updates.margin[k - 1] > 0),
    update: true,
    step: updates.step[k - 1],
    before: columns.w && columns.w[k - 1],
    after: columns.w && columns.w[k],
  };
}

function lookedAt(look) {
  by("words").textContent = look ? exampleSaid(look, run.rows, state.settings) : startSaid();
  const { certificate } = run;
  const atEnd = state.t === run.examples;
  plane.explain({
    row: look ? look.row : null,
    wrong: Boolean(look?.mistake),
    support: certificate?.outcome === "separable" && atEnd ? certificate.support : [],
    widest: run.u && !run.kernel ? { w: run.u, margin: run.gamma } : null,
    hulls: certificate?.outcome === "inseparable" && !run.kernel ? certificate : null,
  });
  const shown = look?.update && look.before;
  update.show(shown ? look : null);
  by("updated").textContent = shown
    ? `${vector(look.before.slice(0, 2))} ${look.y > 0 ? "+" : "−"} ${look.step === 1 ? "" : `${told(look.step)}·`}${vector(look.x)} = ${vector(look.after.slice(0, 2))}`
    : look ? (look.update ? "In the kernel's space: there is no arrow to draw." : "This example changed nothing.") : "No update yet.";
  set(by("update"), { "aria-label": by("updated").textContent });
}

function showGauge(k) {
  const made = run.bound.of === "mistakes" ? run.columns.mistakes[k] : k;
  const share = run.bound.value === undefined ? 0 : Math.min(1, made / run.bound.value);
  by("made").textContent = counted(made);
  by("at-most").textContent = run.bound.value === undefined ? "so far" : `of at most ${told(run.bound.value)}`;
  by("filled").style.width = `${100 * share}%`;
  by("gauged").textContent = gaugeSaid(run, made);
  set(by("gauge"), { "aria-label": by("gauged").textContent });
}

function showReadouts(answer, grid) {
  for (const [name, each] of Object.entries(readouts)) {
    each.values(answer[name], grid, grid);
    const errors = answer.errors[name];
    by(`${name}-said`).textContent = `${name}: ${counted(errors)} of ${counted(run.rows)} wrong`;
    set(by(name), { "aria-label": `The boundary of the ${name} weights: ${counted(errors)} of ${counted(run.rows)} points are wrong` });
  }
  if (run.kernel) plane.values(answer.last, grid, grid);
}

// ---- what is asked for by a button -----------------------------------------------------------------------------------------------

async function guarded(button, work) {
  button.disabled = true;
  try {
    await awaited(work);
    refuse("");
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    refuse(error.message);
  } finally {
    button.disabled = false;
  }
}

const tryOrders = () => guarded(by("orders"), async () => {
  const most = Math.max(3, Math.min(30, Math.floor(ORDERED / run.passes.length)));
  const answer = await ask("api/orders", problem({ runs: most }));
  by("compared").hidden = false;
  const rows = [{ name: "as given", values: answer.given }, { name: "once", values: answer.once }, { name: "each pass", values: answer.each }];
  dots(by("ordered"), rows, answer.bound);
  by("orders-said").textContent = ordersSaid(answer);
  set(by("ordered"), { "aria-label": by("orders-said").textContent });
});

const stretch = () => guarded(by("rescale"), async () => {
  const answer = await ask("api/rescale", problem());
  by("stretched").hidden = false;
  set(by("stage"), { max: answer.stages.length - 1 });
  by("rescaled").textContent = answer.why;
  const show = () => {
    const at = Number(by("stage").value);
    const stage = answer.stages[at];
    showStage(stage);
    by("stage-said").textContent = `Stretched ${at} of ${answer.stages.length - 1} times, ${counted(stage.steps)} steps so far`;
    set(by("stages"), { "aria-label": by("stage-said").textContent });
  };
  by("stage").oninput = show;
  by("stage").value = 0;
  show();
});

// The rows as they lie in the stretched space, and what became of the circle that they lay on.
function showStage({ rows, space, w }) {
  const size = 300;
  const at = ([a, b]) => [size / 2 + a * 120, size / 2 - b * 120];
  const turns = Array.from({ length: 73 }, (_, k) => (k * Math.PI) / 36).map((angle) => [Math.cos(angle), Math.sin(angle)]);
  const images = turns.map(([a, b]) => [a * space[0][0] + b * space[1][0], a * space[0][1] + b * space[1][1]]);
  const longest = Math.max(...images.map((image) => Math.hypot(...image)));
  const ellipse = images.map((image) => at(image.map((each) => each / longest)).map((each) => each.toFixed(1)).join(" "));
  const made = [element("path", { class: "curve stretched", d: `M${ellipse.join("L")}z` })];
  for (const row of rows) made.push(line("row", at([0, 0]), at(row)), element("circle", { class: "point plus", cx: at(row)[0], cy: at(row)[1], r: 4 }));
  if (w) {
    const norm = Math.hypot(...w) || 1;
    const [a, b] = w.map((each) => each / norm);
    made.push(line("hyperplane", at([-1.2 * b, 1.2 * a]), at([1.2 * b, -1.2 * a])), arrow("after", at([0, 0]), at([a * 0.6, b * 0.6])));
  }
  set(by("stages"), { viewBox: `0 0 ${size} ${size}` }).replaceChildren(...made);
}

const useTable = (text) => guarded(by("use"), async () => {
  const answer = await ask("api/csv", { text });
  edit({ points: answer.points }, { fit: true, at: 0 });
  introduce(`${answer.points.length} points: +1 is ${answer.labels["1"]}, −1 is ${answer.labels["-1"]}.`);
});

// ---- hands on the controls ------------------------------------------------------------------------------------------------------------

function listen() {
  const click = (id, done) => by(id).addEventListener("click", done);
  click("undo", () => travel(past, future));
  click("redo", () => travel(future, past));
  click("clear", () => edit({ points: [] }));
  click("closer", () => zoom(1 / 1.4));
  click("farther", () => zoom(1.4));
  click("whole", () => { state.view = null; showProblem(); showPosition(); remember(); });
  click("rewind", () => { pause(); go(0); });
  click("back", () => { pause(); if (run) back(); });
  click("play", play);
  for (const unit of ["example", "mistake", "pass"]) click(unit, () => { pause(); if (run) go(steps[unit]()); });
  click("end", () => { pause(); go(Infinity); });
  by("scrub").addEventListener("input", () => { pause(); if (run) toUpdate(Number(by("scrub").value)); });
  by("speed").addEventListener("input", () => {
    showSpeed();
    if (playing) { pause(); play(); }
  });
  by("preset").addEventListener("change", () => fromPreset(by("preset").value));
  for (const id of ["rule", "order", "seed", "passes", "intercept", "kernel", "degree", "gamma", "coef0"]) by(id).addEventListener("change", settingsChanged);
  click("orders", tryOrders);
  click("rescale", stretch);
  click("use", () => useTable(by("csv").value));
  click("write", () => { by("csv").value = ["x1,x2,label", ...state.points.map(([a, b, y]) => `${a},${b},${y}`)].join("\n"); });
  by("file").addEventListener("change", async () => {
    const [file] = by("file").files;
    if (!file) return;
    if (limits && file.size > limits.bytes / 2) return refuse(`${file.name} is larger than ${counted(limits.bytes / 2)} bytes: give fewer rows here, or all of them to “novikoff fit”.`);
    by("csv").value = await file.text();
    by("file").value = "";
    useTable(by("csv").value);
  });
  document.addEventListener("keydown", key);
  addEventListener("hashchange", fromAddress);
}

function settingsChanged() {
  const number = (id) => (by(id).value.trim() === "" || !by(id).validity.valid ? null : Number(by(id).value));
  const whole = { seed: number("seed"), passes: number("passes") };
  const name = by("kernel").value;
  const given = Object.fromEntries(parametersOf(name).filter(() => name === state.settings.kernel?.name).map((each) => [each, number(each)]));
  for (const [each, value] of Object.entries({ ...whole, ...given })) {
    if (value === null) return refuse(`${by(each).closest("label").textContent.trim()}: must be a number from ${by(each).min} to ${by(each).max}.`);
  }
  const settings = { ...whole, rule: by("rule").value, order: by("order").value, intercept: by("intercept").checked, kernel: kernelOf(name, given) };
  edit({ settings });
}

const KEYS = { " ": "play", ArrowRight: "mistake", ArrowLeft: "back", e: "example", p: "pass", Home: "rewind", End: "end" };

function key(event) {
  if ((event.ctrlKey || event.metaKey) && !event.target.closest("textarea, input:not([type=range], [type=radio], [type=checkbox])")) {
    const redo = event.key === "y" || (event.shiftKey && event.key.toLowerCase() === "z");
    if (!redo && event.key !== "z") return;
    event.preventDefault();
    return redo ? travel(future, past) : travel(past, future);
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea, button, a, [role=region]")) return;
  const id = KEYS[event.key] ?? KEYS[event.key.toLowerCase()];
  if (!id || by(id).disabled) return;
  event.preventDefault();
  by(id).click();
}

async function begin() {
  listen();
  showSpeed();
  const answer = await ask("api/presets").catch((error) => refuse(error.message));
  if (!answer) return;
  ({ presets, limits } = answer);
  by("preset").replaceChildren(
    Object.assign(document.createElement("option"), { value: "", textContent: "…", disabled: true }),
    ...presets.map(({ name, title }) => Object.assign(document.createElement("option"), { value: name, textContent: title })),
  );
  for (const [id, [least, most]] of Object.entries(limits.settings)) set(by(id), { min: least, max: most });
  by("version").textContent = `novikoff ${answer.version}`;
  fromAddress();
}

awaited(begin);
