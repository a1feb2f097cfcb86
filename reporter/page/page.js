// SPDX-License-Identifier: BSD-3-Clause
// Writes the texts and metrics of the page, and starts all views.
import { attrs, beginInverse, beginSearch, byId, count, data, make, percent, several, showPage, stepArea, time } from "./base.js";
import { create, max, scaleLinear } from "./d3.js";
import { bar95, changes, chosen, columnTitle, countBar, isPart, nNodes, pickProcedure, rangeOptions, rangeText, report, run, times } from "./data.js";
import { drawFlames, flame } from "./flame.js";
import { columns } from "./part.js";
import { metricsOfRange } from "./programs.js";
import { beginRanks, hasRanks, nOfMapRow, nRanks, noteOfRanks, placeMapPick } from "./ranks.js";
import { drawRoofline } from "./roofline.js";
import { boundsOf, sums } from "./sums.js";
import { tables } from "./tables.js";
import { drawTimeline, saySelection } from "./timeline.js";

// ---- texts ----

const terms = (box, facts) => byId(box).replaceChildren(...facts.flatMap(([k, v]) => [make("dt", {}, k), make("dd", {}, String(v))]));

function drawTexts() {
	const names = report.procedures.slice(0, 200).map((p) => p.name).filter((n) => n.length > 3);
	byId("short").replaceChildren(...report.in_short.map((s) => {
		const text = typeof s === "string" ? s : s.text, name = names.find((n) => text.includes(n)), item = make("li", {}, text, " ");
		if (name) item.append(make("button", { class: "link", onclick: () => pickProcedure(report.procedures.find((p) => p.name === name)) }, `show ${name.slice(0, 60)}`));
		return item;
	}));
	byId("findings").replaceChildren(...report.findings.map((f) => make("li", { class: f.kind === "warning" ? "warning" : "" }, f.text)));
	byId("short-part").hidden = !report.in_short.length;
	byId("findings-part").hidden = !report.findings.length;
	const facts = [["Command", run.command], ["Machine", `${run.host}, ${run.cpu}, ${several(run.n_cpus, "CPU", "s")}, Linux ${run.kernel}`],
		["When", `${new Date(1000 * run.started).toISOString().replace("T", " ").slice(0, 19)} UTC, for ${time(1e9 * run.duration_s)}`],
		["Used", `${time(run.cpu_ns)} of CPU time in ${several(run.n_processes, "process", "es")}, ${several(run.n_threads, "thread", "s")}${hasRanks ? `, ${several(nRanks, "MPI rank", "s")}` : ""}`]];
	if (run.selection) facts.push(["Shown", run.selection]);
	terms("facts", facts);
	document.title = `evprof: ${run.command}`.slice(0, 120);
}

const metricNumber = (m, v) => m.is_share ? percent(v) : Math.abs(v) >= 1e5 ? count(v) : Number(v.toPrecision(4)).toString();
// The bar is twice the standard error, as in evreport metrics.
const metricBar = (m) => m.error === null ? "" : m.error === 0 ? "" : m.is_share ? ` ${bar95(200 * m.error, 1)}` : ` ±${(2 * m.error).toPrecision(2)}`;

// Finds the largest loss of the first level, the largest one among the metrics below it, and so on.
function worstOf(metrics) {
	const worst = new Set();
	let from = 0, to = metrics.length, depth = 0;
	for (;;) {
		const level = metrics.slice(from, to).filter((m) => m.depth === depth && m.is_loss && m.is_share && m.value !== null);
		const most = level.reduce((a, b) => a === null || b.value > a.value ? b : a, null);
		if (!most || level.length < 2) return worst;
		worst.add(most);
		from = metrics.indexOf(most) + 1;
		while (to > from && metrics.slice(from, to).some((m) => m.depth <= depth)) to--;
		depth++;
	}
}

// Returns the value of a full bar: 1 for shares, else the largest of the model's metrics with this unit and base.
const largestLike = (metrics, m) => m.is_share ? 1 : max(metrics, (o) => !o.is_share && o.unit === m.unit && o.base === m.base ? o.value : null) || 1e-300;
const picture = (name, width) => create("svg:svg").call(attrs, { class: name, viewBox: `0 0 ${width} 14`, preserveAspectRatio: "none" });

function barOf(metrics, m) {
	const svg = picture("metric-bar", 200), x = scaleLinear().domain([0, largestLike(metrics, m)]).range([0, 200]).clamp(true);
	const bar = (from, to, y, height, fill) => svg.append("rect").call(attrs, { x: from, y, width: to - from, height, fill });
	if (m.value !== null) bar(0, x(m.value), 2, 10, m.is_loss ? "var(--bar)" : "var(--busy)");
	if (m.value !== null && m.error) bar(x(m.value - 2 * m.error), Math.max(x(m.value - 2 * m.error) + 1, x(m.value + 2 * m.error)), 6, 2, "var(--ink)");
	return svg.node();
}

function lineOf(m) {
	const svg = picture("metric-line", 120), x = scaleLinear().domain([0, m.over_time.length]).range([0, 120]), y = scaleLinear().domain([0, max(m.over_time)]).range([14, 0]).clamp(true);
	if (m.over_time.filter((v) => v !== null).length > 1) svg.append("path").call(attrs, { fill: "var(--mark)", d: stepArea(m.over_time, x, 14, (v) => v > 0 ? y(v) : 14) });
	return svg.node();
}

function metricRow(metrics, m, isWorst) {
	const name = make("td", { class: "text" });
	name.style.paddingLeft = `${8 + 18 * m.depth}px`;
	name.append(make("span", { class: isWorst ? "worst" : "" }, (isWorst ? "▸ " : "") + m.name));
	const value = m.value === null ? m.lacks || "not known" : (chosen.range ? "~" : "") + metricNumber(m, m.value) + metricBar(m);
	const line = m.over_time && make("button", { class: "link", title: "Show it over time, above", onclick: () => showSeries(m) }, lineOf(m));
	return make("tr", {}, name, make("td", {}, barOf(metrics, m)), make("td", { class: m.is_invalid || m.is_contradicted ? "uncertain" : "" }, value),
		make("td", { class: "text unit" }, m.unit || (m.base ? `of ${m.base}` : "")), make("td", {}, m.coverage === null || m.value === null ? "" : percent(m.coverage)),
		make("td", {}, line || ""), make("td", { class: "text about" }, [m.about, m.is_contradicted && "A calibration contradicts it.", m.is_invalid && "It cannot be so: its events were measured at different times."].filter(Boolean).join(" ")));
}

function noteOfMetrics(shown) {
	if (!isPart()) return "";
	if (!chosen.range) return "Of all threads: metrics of one are not on the page (evreport metrics --by thread).";
	return `By each event's counts over time${chosen.thread < 0 ? "" : ", of all threads"}.`
		+ (shown.some((m) => m.value !== null && m.error === null) ? ` Some have no error here: the page does not know it of a range. evreport metrics ${rangeOptions()} has it where the estimator tells one.` : "");
}

function drawMetrics() {
	const models = [...new Set(data.metrics.map((m) => m.model))], of = (model) => data.metrics.filter((m) => m.model === model);
	const shown = models.map((model) => chosen.range ? metricsOfRange(model, of(model)) : of(model));
	byId("metrics-part").hidden = !models.length;
	byId("metrics-of").textContent = chosen.range ? `Metrics ${rangeText()}` : run.selection ? `Metrics, ${run.selection}` : "Metrics of the whole run";
	byId("metrics-note").textContent = noteOfMetrics(shown.flat());
	byId("metrics").replaceChildren(...models.flatMap((model, i) => {
		const metrics = shown[i], worst = worstOf(metrics);
		const heads = ["metric", "", "value", "unit", "measured", "over time", "what it is"];
		return [make("h3", {}, metrics[0].title || model), make("div", { class: "wide" }, make("table", { class: "metrics", "data-model": model },
			make("thead", {}, make("tr", {}, ...heads.map((t) => make("th", { class: ["value", "measured"].includes(t) ? "" : "text", scope: "col" }, t)))),
			make("tbody", {}, ...metrics.map((m) => metricRow(metrics, m, worst.has(m))))))];
	}));
}

function showSeries(m) {
	byId("series").value = `metric ${data.metrics.findIndex((o) => o.model === m.model && o.index === m.index)}`;
	drawTimeline();
	byId("timeline").scrollIntoView({ block: "nearest" });
}

function drawHow() {
	const events = report.events.map((e) => `${e.name}: ${e.total === null ? "not known" : count(e.total)}${e.estimate ? ` (estimated for slices that did not count it, by ${e.estimator})` : ""}${e.error ? ` ${countBar(e.error)}` : ""}`);
	const facts = [["Source of counts", run.source], ["Clock", `${run.clock}, a tick every ${run.period_ms} ms of a thread's CPU time`], ["Samples", `${count(run.n_samples)}, ${count(run.n_lost)} lost`],
		["Estimator", run.estimator || "none was needed"], ["Missing", run.missing || "nothing"], ["evprof's own time", time(run.evprof_ns)],
		["In the kernel, not at a call that was seen", time(run.hidden_kernel_ns)], ["Folded", data.folded],
		["Timeline", `${count(times.n_bins)} steps of ${time(1e9 * times.bin_s)}${report.threads.length > times.n_threads ? `; in ranges all threads but the first ${times.n_threads} are one` : ""}`],
		...[["Waits over time", boundsOf(sums.waits)], ["Regions over time", boundsOf(sums.regions)], ["Ranks listed", noteOfRanks()], ["Map of ranks", nOfMapRow > 1 ? `a row is the mean of ${nOfMapRow} neighbours` : ""]].filter((fact) => fact[1]), ...events.map((e) => ["Event", e])];
	terms("how", facts);
}

// ---- the whole page ----

function drawAll() {
	saySelection();
	drawTimeline();
	placeMapPick();
	drawFlames();
	tables.draw();
	drawMetrics();
	drawRoofline();
}

changes.on("part", drawAll).on("procedure", () => {
	drawTimeline();
	drawFlames();
	byId("one").scrollIntoView({ block: "nearest" });
});

// Adds [value, text] pairs to a list of choices, and calls draw with each value that the user chooses.
function choice(id, options, draw) {
	byId(id).append(...options.map(([value, text]) => make("option", { value }, text)));
	byId(id).addEventListener("change", () => draw(byId(id).value));
}

function begin() {
	const on = (id, type, see) => byId(id).addEventListener(type, see);
	choice("column", columns.map((c, i) => [i, columnTitle(c)]), (value) => { chosen.column = Number(value); drawFlames(); });
	choice("series", [["", "CPUs busy"], ...Object.keys(report.timeline.events_per_s || {}).map((name) => [`event ${name}`, `${name} per second`]),
		...data.metrics.flatMap((m, i) => m.over_time ? [[`metric ${i}`, `${m.name} (${m.model})`]] : [])], drawTimeline);
	choice("color", data.ratios.map((ratio) => [ratio.title, ratio.title]), (value) => { chosen.color = value; drawFlames(); });
	choice("rows", [], (value) => { chosen.rows = value; drawTimeline(); });
	chosen.column = Math.max(0, columns.findIndex((c) => c.name === "cpu"));
	byId("column").value = String(chosen.column);
	beginInverse(chosen, flame, drawFlames);
	beginSearch(chosen, () => { drawFlames(); tables.draw(); });
	on("clear", "click", () => { chosen.range = null; chosen.thread = -1; drawAll(); });
	on("close-one", "click", () => { chosen.procedure = -1; drawTimeline(); drawFlames(); });
	addEventListener("resize", () => { drawTimeline(); drawFlames(); });
	drawTexts();
	beginRanks();
	drawHow();
	// callgrind counts procedures and calls but knows no call paths, so an exact run has no graphs.
	byId("graphs").hidden = nNodes < 2;
	byId("no-graphs").hidden = nNodes >= 2;
	showPage(drawAll);
}

begin();
