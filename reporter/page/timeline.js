// SPDX-License-Identifier: BSD-3-Clause
// Draws the timeline, and lets the user choose a range on it.
import { attrs, byId, clip, count, data, legend, percent, several, stepArea, time } from "./base.js";
import { axisBottom, brushX, event, max, range, scaleLinear, select, stack, sum } from "./d3.js";
import { BINS, activityColors, activityTitle, changes, chosen, hasLives, hasTimes, isPart, nNodes, nameOf, nodes, pickThread, rangeText, report, run, setRange, threadName, times } from "./data.js";
import { part } from "./part.js";
import { drawPhases, hasPhases } from "./phases.js";
import { rankOrder } from "./ranks.js";

const ROW_PX = 22, BUSY_PX = 48, LABEL_PX = 190, AXIS_PX = 20, PHASES_PX = 14;
const ROWS_TOP = BUSY_PX + 6 + (hasPhases ? PHASES_PX + 4 : 0), HIGH_PX = ROW_PX - 2;
const THREADS_SHOWN = 16;
// A drag over less than this part of a step is a click.
const LEAST_DRAG = .3;

// Converts a step to its place in the drawing. Its range is set anew when the window's width changes.
const x = scaleLinear().domain([0, BINS]);

// ---- threads ----

// Computes how busy each thread was in each step, in all and with each activity.
function threadBins() {
	const rows = report.threads.map(() => ({ busy: new Float64Array(BINS), by: new Map() }));
	for (let i = 0; i < times.node.length; i++) {
		const row = rows[times.thread[i]], share = times.us[i] / 1e6 / times.bin_s, activity = nodes.activity[times.node[i]];
		if (!row) continue;
		row.busy[times.bin[i]] += share;
		if (!row.by.has(activity)) row.by.set(activity, new Float64Array(BINS));
		row.by.get(activity)[times.bin[i]] += share;
	}
	return rows;
}

const binsOf = threadBins();
// The busiest moment of all threads fills a row's height. Threads that seldom have a CPU would else show nothing.
const fullHeight = Math.min(1, Math.max(.01, max(binsOf, (row) => max(row.busy)) || 0));
const heightOf = scaleLinear().domain([0, fullHeight]).range([HIGH_PX, 0]).clamp(true);

function inProcedure(thread) {
	const shares = new Float64Array(BINS), inside = new Uint8Array(nNodes);
	for (let i = 1; i < nNodes; i++) inside[i] = inside[nodes.parent[i]] || nodes.symbol[i] === chosen.procedure ? 1 : 0;
	for (let i = 0; i < times.node.length; i++)
		if (times.thread[i] === thread && inside[times.node[i]]) shares[times.bin[i]] += times.us[i] / 1e6 / times.bin_s;
	return shares;
}

// Each function returns the layers of a thread's row, from the bottom up, as [colour, share of each step].
const rowColorings = {
	activity: (thread) => [...binsOf[thread].by].map(([activity, shares]) => [activityColors[activity], shares]),
	busy: (thread) => [["var(--busy)", binsOf[thread].busy]],
	procedure: (thread) => {
		const inside = inProcedure(thread);
		return [["var(--mark)", inside], ["var(--rest)", binsOf[thread].busy.map((busy, i) => busy - inside[i])]];
	},
};

function drawRowLegend() {
	if (!hasTimes) return;
	const used = new Set(binsOf.flatMap((row) => [...row.by.keys()])), waits = ["var(--wait)", `waiting: asleep, blocked, or ready without a CPU${fullHeight < .95 ? `; a row's full height is ${percent(fullHeight)} of a CPU` : ""}`];
	if (chosen.rows === "activity") legend("row-legend", [...[...used].sort((a, b) => a - b).map((a) => [activityColors[a], activityTitle(a)]), waits]);
	else if (chosen.rows === "busy") legend("row-legend", [["var(--busy)", "on a CPU"], waits]);
	else legend("row-legend", chosen.procedure < 0 ? [["var(--rest)", "no procedure is chosen: click one in the table below"]]
		: [["var(--mark)", `in ${nameOf(chosen.procedure)}`], ["var(--rest)", "elsewhere"], waits]);
}

const rankNumber = (i) => rankOrder.get(report.threads[i].rank) ?? Infinity;
const byRank = (a, b) => rankNumber(a) - rankNumber(b) || 0;
const shownThreads = !hasTimes ? [] : range(report.threads.length).sort((a, b) => report.threads[b].cpu_ns - report.threads[a].cpu_ns).slice(0, THREADS_SHOWN).sort(byRank);

function drawLayers(row, thread) {
	const layers = rowColorings[chosen.rows](thread);
	const stacked = stack().keys(range(layers.length)).value((bin, layer) => layers[layer][1][bin])(range(BINS));
	row.selectAll("path").data(stacked).join("path").call(attrs, { fill: (of) => layers[of.key][0], d: (of) => stepArea(of, x, ([low]) => heightOf(low), ([, high]) => heightOf(high)) });
}

// Draws a row for each thread. A click on the thread's name chooses it; the rest of the row is covered by the brush.
function drawThreads(svg, seconds, width) {
	const rows = svg.selectAll(".thread").data(shownThreads).join("g").call(attrs, { class: "thread", transform: (thread, i) => `translate(0 ${ROWS_TOP + i * ROW_PX})` }).on("click", pickThread);
	const start = (thread) => seconds(report.threads[thread].start_s), end = (thread) => seconds(report.threads[thread].start_s + report.threads[thread].duration_s);
	rows.append("rect").call(attrs, { x: LABEL_PX, width: width - LABEL_PX, height: HIGH_PX, fill: "var(--sheet)" });
	rows.append("rect").call(attrs, { x: start, width: (thread) => Math.max(1, hasLives ? end(thread) - start(thread) : 0), height: HIGH_PX, fill: "var(--wait)" });
	rows.each(function (thread) { drawLayers(select(this), thread); });
	rows.append("rect").call(attrs, { x: 1, y: -1, width: width - 2, height: ROW_PX, fill: "transparent", stroke: (thread) => thread === chosen.thread ? "var(--mark)" : "none" });
	rows.append("text").call(attrs, { class: "pick", x: 4, y: 15 }).text((thread) => threadName(report.threads[thread]).slice(0, 26));
}

// ---- the upper line ----

// Returns what the upper line shows: busy CPUs, an event, or a metric. A metric is empty where it is not known.
function seriesShown() {
	const chosenOne = byId("series").value, text = (v) => v >= 100 ? count(v) : v.toPrecision(3);
	if (chosenOne.startsWith("event ")) return { title: `${chosenOne.slice(6)} per second`, rate: report.timeline.events_per_s[chosenOne.slice(6)], text };
	if (!chosenOne.startsWith("metric ")) return { title: "CPUs busy", rate: report.timeline.cpus_busy, text };
	const metric = data.metrics[Number(chosenOne.slice(7))];
	return { title: metric.name, rate: metric.over_time, text: (v) => metric.is_share ? percent(v) : text(v) };
}

function drawSeries(svg) {
	const { title, rate, text } = seriesShown(), most = Math.max(1e-9, max(rate) || 0), y = scaleLinear().domain([0, most]).range([BUSY_PX, 0]).clamp(true);
	svg.append("text").call(attrs, { x: 4, y: 14 }).text(clip(title).slice(0, 30));
	svg.append("text").call(attrs, { x: 4, y: 30 }).text(`at most ${text(most)}`);
	svg.append("path").call(attrs, { fill: "var(--mark)", d: stepArea(rate, (i) => x(i * BINS / rate.length), BUSY_PX, (value) => y(value || 0)) });
}

// ---- the range ----

// Lets the user drag a range in whole steps. A drag may begin anywhere, also inside the range that is chosen, and the
// ends of that range can be dragged, too.
function drawBrush(svg, width, height) {
	const brush = brushX().extent([[LABEL_PX, 0], [width, height]]), group = svg.append("g").attr("class", "brush");
	group.call(brush).call(brush.move, chosen.range && chosen.range.map(x)).select(".selection").attr("id", "pick");
	brush.on("brush", () => {
		setRange(...event.selection.map(x.invert));
		if (chosen.range) group.select("#pick").call(attrs, { x: x(chosen.range[0]), width: x(chosen.range[1]) - x(chosen.range[0]) });
	}).on("end", () => {
		const [from, to] = event.selection ? event.selection.map(x.invert) : [0, 0];
		chosen.range = null;
		if (to - from >= LEAST_DRAG) setRange(from, to);
		changes.call("part");
	});
}

export function drawTimeline() {
	const box = byId("timeline"), width = Math.max(500, box.clientWidth || 1200), height = ROWS_TOP + shownThreads.length * ROW_PX;
	const seconds = scaleLinear().domain([run.from_s, run.from_s + times.bin_s * BINS]).range([LABEL_PX, width]).clamp(true);
	x.range([LABEL_PX, width]);
	drawRowLegend();
	select(box).select("svg").remove();
	const svg = select(box).append("svg").call(attrs, { viewBox: `0 0 ${width} ${height + AXIS_PX}`, height: height + AXIS_PX, role: "img", "aria-label": "Timeline" });
	drawSeries(svg);
	drawThreads(svg, seconds, width);
	const n = width / 160, format = seconds.tickFormat(n);
	svg.append("g").attr("transform", `translate(0 ${height})`).call(axisBottom(seconds).ticks(n).tickSize(4).tickFormat((s) => `${format(s)} s`))
		.selectAll("text").attr("text-anchor", (s) => seconds(s) > width - 20 ? "end" : "middle");
	if (hasTimes) drawBrush(svg, width, height);
	if (hasPhases) drawPhases(svg, seconds, BUSY_PX + 5, PHASES_PX);
	for (const id of ["threads-by", "row-legend", "drag-hint"]) byId(id).hidden = !hasTimes;
	byId("more-threads").hidden = shownThreads.length === report.threads.length;
	byId("more-threads").textContent = !hasTimes ? `When each thread ran is not ${run.exact ? "known of a run inside valgrind" : "in a reduced file"}.` : `${several(report.threads.length - shownThreads.length, "more thread", "s")} with less CPU time: in the table Threads.`;
}

select("#timeline").on("keydown", () => {
	const [from, to] = chosen.range || [0, BINS], step = event.shiftKey ? 10 : 1;
	if (event.key === "ArrowRight") setRange(from + step, Math.min(BINS, to + (event.altKey ? 0 : step)));
	else if (event.key === "ArrowLeft") setRange(Math.max(0, from - step), to - (event.altKey ? 0 : step));
	else if (event.key === "ArrowUp") setRange(from + step, to - step);
	else if (event.key === "ArrowDown") setRange(from - step, to + step);
	else if (event.key === "Escape") { chosen.range = null; chosen.thread = -1; }
	else return;
	event.preventDefault();
	changes.call("part");
});

export function saySelection() {
	const parts = [];
	if (chosen.range) parts.push(rangeText());
	if (chosen.thread >= 0) parts.push(`thread ${threadName(report.threads[chosen.thread])}`);
	const ns = isPart() ? sum(part().self) : run.sampled_ns;
	const shown = [run.selection, ...parts].filter(Boolean).join(", ") || "the whole run";
	byId("selection").textContent = `Shown: ${shown}; ${time(ns)} of CPU time`;
	byId("clear").hidden = !parts.length;
}
