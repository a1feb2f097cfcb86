// SPDX-License-Identifier: BSD-3-Clause
// Draws the comparison of two programs' runs: the call tree, coloured by the change of time, and tables of changes.
import { beginInverse, beginSearch, byId, clip, count, data, legend, make, percent, several, showPage, sumUp, time } from "./base.js";
import { max, mean, sum, variance } from "./d3.js";
import { Flame } from "./flame_view.js";
import { Tables, plain } from "./table_view.js";

const tree = data.tree, first = data.procedures, nNodes = tree.parent.length;
const chosen = { width: "both", inverted: false, search: "" };
const SURE = 3; // in standard errors, as in the text: among hundreds of rows chance alone makes few changes larger

// ---- the trees ----

const widths = { both: (n) => Math.max(n.before, n.after), after: (n) => n.after, before: (n) => n.before };

// For each run: the time of each call, and the sum of squares of its samples' times, of the call itself and in total.
const runs = tree.runs.map((run) => ({ all: run, self: [run.self_ns, run.self_squares_ns2], total: [sumUp(run.self_ns, tree.parent), sumUp(run.self_squares_ns2, tree.parent)] }));
const textOf = (i) => tree.texts[tree.name[i]];
const keyOf = (i) => `${tree.name[i]} ${tree.module[i]}`;
const callOf = (symbol, node) => ({ symbol, node, sums: runs.map(() => ({ ns: 0, squares: 0, isThere: false })), children: new Map() });

function callBelow(parent, i) {
	const symbol = keyOf(i);
	if (!parent.children.has(symbol)) parent.children.set(symbol, callOf(symbol, i));
	return parent.children.get(symbol);
}

function addTo(call, i, what) {
	call.sums.forEach((sum, r) => {
		sum.ns += runs[r][what][0][i];
		sum.squares += runs[r][what][1][i];
	});
}

function treeOfCalls() {
	const made = [callOf("", -1)];
	for (let i = 0; i < nNodes; i++) {
		if (i > 0) made[i] = callBelow(made[tree.parent[i]], i);
		addTo(made[i], i, "total");
	}
	return made[0];
}

function treeOfCallers() {
	const root = callOf("", -1);
	addTo(root, 0, "total");
	for (let i = 1; i < nNodes; i++) {
		if (runs.every((run) => !run.self[0][i])) continue;
		for (let at = root, up = i; up > 0; up = tree.parent[up]) {
			at = callBelow(at, up);
			addTo(at, i, "self");
		}
	}
	// A procedure without time of its own in a run, which called others there, has a share of 0 with an error.
	for (let i = 1; i < nNodes; i++) {
		const call = root.children.get(keyOf(i));
		if (call) call.sums.forEach((sum, r) => { sum.isThere ||= runs[r].total[0][i] > 0; });
	}
	return root;
}

// These are the rules of the text report: ep_weighted_share_error() for one run, ep_compare_sum_up() for all runs.
function varianceOfSamples({ ns, squares, isThere }, { sampled_ns: all, squares_ns2: allSquares }) {
	if (allSquares <= 0 || (ns <= 0 && !isThere)) return 0;
	const p = ns / all;
	if (p <= 0 || p >= 1) return (all * Math.min(3 * allSquares / (all * all), 1) / 1.96) ** 2;
	return (1 - p) ** 2 * squares + p ** 2 * Math.max(allSquares - squares, 0);
}

// D3's variance() of a single value is undefined.
const squaresAroundMean = (values) => (variance(values) || 0) * (values.length - 1);

function setTimes(call) {
	const ns = call.sums.map((sum) => sum.ns), variances = call.sums.map((sum, r) => varianceOfSamples(sum, runs[r].all));
	const sides = (values) => [values.slice(0, tree.n_before), values.slice(tree.n_before)];
	[call.before, call.after] = sides(ns).map((side) => mean(side));
	const ofSamples = sum(sides(variances), (side) => mean(side) / side.length);
	call.variance = Math.max(ofSamples, tree.run_factor * sum(sides(ns), squaresAroundMean));
}

// Makes each call wide enough for the calls below it: one of these may be wider before, and another one after.
function setWidths(call) {
	const order = [call];
	for (let i = 0; i < order.length; i++) {
		setTimes(order[i]);
		order.push(...order[i].children.values());
	}
	for (const at of order.reverse()) at.total = Math.max(widths[chosen.width](at), sum(at.children.values(), (next) => next.total));
	return call;
}

// ---- colours ----

const isSure = (call) => Math.abs(call.after - call.before) > SURE * Math.sqrt(call.variance);
const CHANCE_COLOR = "#c9ccd3", changeColor = (ratio) => ratio > 0 ? `hsl(8 ${40 + 45 * ratio}% ${86 - 26 * ratio}%)` : `hsl(215 ${40 - 45 * ratio}% ${86 + 26 * ratio}%)`;
const ratioOf = (call) => (call.after - call.before) / (Math.max(call.before, call.after) || 1);
const colorOf = (call) => isSure(call) ? changeColor(ratioOf(call)) : CHANCE_COLOR;

const signed = (ns) => ns === 0 ? "0" : `${ns > 0 ? "+" : "−"}${time(Math.abs(ns))}`;
const change = (before, after) => before === after ? "" : after === 0 ? "gone" : before > 0 ? `${after >= before ? "+" : "−"}${Math.abs(100 * (after - before) / before).toFixed(1)} %` : "new";
const bar95 = (error) => error ? `±${time(1.96 * error)}` : "";

function explain(call) {
	const name = call.node < 0 ? "all" : textOf(call.node), error = Math.sqrt(call.variance);
	return [clip(name), call.node < 0 ? "" : tree.texts[tree.module[call.node]],
		`before ${time(call.before)}, after ${time(call.after)}: ${signed(call.after - call.before)} ${bar95(error)} ${change(call.before, call.after)}`,
		isSure(call) ? "" : "within three standard errors: it may be chance"].filter(Boolean).join("\n");
}

const flame = new Flame(byId("flame"), "Flame graph of the change: arrow keys move, Enter zooms in, Escape zooms out",
	{ name: (call) => call.node < 0 ? "all" : textOf(call.node), color: colorOf, explain, search: () => chosen.search });

function drawFlame() {
	flame.set(setWidths(chosen.inverted ? treeOfCallers() : treeOfCalls()));
	legend("flame-legend", [[changeColor(1), "more time after"], [changeColor(.2), "a little more"], [CHANCE_COLOR, "may be chance"],
		[changeColor(-.2), "a little less"], [changeColor(-1), "less time, or none, after"]]);
	byId("flame-note").textContent = tree.least_share > 0 ? `Calls with less than ${percent(tree.least_share)} of each run are counted at their callers.` : "";
}

// ---- tables ----

const timeRow = (row) => ({ ...row, before: 1e9 * row.before_s, after: 1e9 * row.after_s, error: 1e9 * row.change_error_s });
// Rows without time of their own are left out: they are callers only, and the graph shows callers.
const timeRows = (rows) => rows.map(timeRow).filter((r) => r.before || r.after);
const timeColumns = (rows) => {
	const most = max(rows, (r) => Math.abs(r.after - r.before)) || 1;
	return [{ title: "before", key: (r) => r.before, text: (r) => time(r.before) }, { title: "after", key: (r) => r.after, text: (r) => time(r.after) },
		{ title: "change", key: (r) => r.after - r.before, order: (r) => Math.abs(r.after - r.before), text: (r) => signed(r.after - r.before), bar: (r) => Math.abs(r.after - r.before) / most, isMore: (r) => r.after > r.before },
		{ title: "±", key: (r) => r.error, text: (r) => bar95(r.error) }, { title: "%", key: (r) => r.before > 0 ? (r.after - r.before) / r.before : Infinity, text: (r) => change(r.before, r.after) }];
};
const placeOf = (r) => r.file ? `${r.file}:${r.line}` : "";
const tableList = [
	{ name: "Procedures", rows: () => timeRows(data.procedures.rows), columns: (rows) => [plain("procedure", (r) => r.name), ...timeColumns(rows), plain("library", (r) => r.module)] },
	{ name: "Lines", rows: () => data.lines ? timeRows(data.lines.rows) : [], columns: (rows) => [plain("line", placeOf), plain("procedure", (r) => r.name), ...timeColumns(rows), plain("library", (r) => r.module)] },
	// A row without a place is the part of a procedure that is outside of its loops.
	{ name: "Loops", rows: () => data.loops ? timeRows(data.loops.rows) : [], columns: (rows) => [plain("loop", placeOf), plain("in procedure", (r) => r.name), ...timeColumns(rows), plain("library", (r) => r.module)] },
	{ name: "Libraries", rows: () => data.modules ? timeRows(data.modules.rows) : [], columns: (rows) => [plain("library", (r) => r.name), ...timeColumns(rows)] },
	{ name: "Activities", rows: () => timeRows(first.activities), columns: (rows) => [plain("what for", (r) => data.activity_titles[r.name]), ...timeColumns(rows)] },
	{ name: "Events", rows: () => first.events.map((r) => ({ ...r, isCount: true })), columns: (rows) => [plain("event", (r) => r.name),
		{ title: "before", key: (r) => r.before, text: (r) => count(r.before) }, { title: "after", key: (r) => r.after, text: (r) => count(r.after) },
		{ title: "change", key: (r) => r.after - r.before, order: (r) => Math.abs(r.after - r.before), text: (r) => `${r.after >= r.before ? "+" : "−"}${count(Math.abs(r.after - r.before))}` },
		{ title: "%", key: (r) => r.before > 0 ? (r.after - r.before) / r.before : Infinity, text: (r) => change(r.before, r.after) }] },
];
const rowIsSure = (r) => r.isCount || Math.abs(r.after - r.before) > SURE * r.error;
const tables = new Tables(tableList.filter((t) => t.rows().length), { search: () => chosen.search, classOf: (row) => rowIsSure(row) ? null : "chance",
	note: (table, nAll) => `${several(nAll, "row", "s")}${table.name === "Events" ? "; what both sides counted, of the whole run" : "; time in itself, the mean of a side's runs"}` });

// ---- texts ----

function drawTexts() {
	const sides = [first.before, first.after], facts = [["Command", (s) => s.command], ["Trace", (s) => s.trace], ["Runs", (s) => count(s.runs)],
		["Machine", (s) => `${s.hosts}, ${s.cpu}`], ["Lasted", (s) => time(1e9 * s.duration_s)], ["CPU time", (s) => time(1e9 * s.cpu_s)],
		["Busiest thread", (s) => s.threads > 1 ? time(1e9 * s.busiest_thread_s) : null],
		["Waiting", (s) => time(1e9 * s.waiting_s)], ["Waiting for locks", (s) => s.locks_s === null ? null : time(1e9 * s.locks_s)], ["Threads", (s) => count(s.threads)], ["Samples", (s) => count(s.samples)]];
	const known = facts.filter(([, of]) => sides.every((s) => of(s) !== null));
	byId("runs").replaceChildren(make("thead", {}, make("tr", {}, ...["", "before", "after"].map((t) => make("th", { class: "text", scope: "col" }, t)))),
		make("tbody", {}, ...known.map(([name, of]) => make("tr", {}, make("td", { class: "text" }, name), ...sides.map((s) => make("td", { class: "text" }, clip(String(of(s)))))))));
	byId("short").replaceChildren(...first.in_short.map((s) => make("li", {}, s)));
	byId("notes").replaceChildren(...first.notes.map((s) => make("li", {}, s)));
	byId("short-part").hidden = !first.in_short.length;
	byId("notes-part").hidden = !first.notes.length;
	document.title = `evreport compare: ${first.after.command}`.slice(0, 120);
}

function begin() {
	byId("width").addEventListener("change", (e) => { chosen.width = e.target.value; drawFlame(); });
	beginInverse(chosen, flame, drawFlame);
	beginSearch(chosen, () => { drawFlame(); tables.draw(); });
	addEventListener("resize", drawFlame);
	drawTexts();
	showPage(() => { drawFlame(); tables.draw(); });
}

begin();
