// SPDX-License-Identifier: BSD-3-Clause
// Describes the tables of the whole run or of the chosen part.
import { clip, count, data, percent, several, time } from "./base.js";
import { countBar, chosen, isPart, ofAll, pickProcedure, points, ratioValue, report, run, valueText } from "./data.js";
import { loopsOfPart } from "./loops.js";
import { activitiesOfPart, eventRows, hasLatency, librariesOfPart, linesOfPart, proceduresOfPart, processesOfPart, threadsOfPart } from "./part.js";
import { hasPhases, phaseColumns, phaseRows } from "./phases.js";
import { hasRanks, noteOfRanks, rankColumns, rankRows } from "./ranks.js";
import { hasSerialParts, noteOfSerialParts, serialColumns, serialRows } from "./serial.js";
import { noteOfRegions, noteOfWaits, sums, whyOfRun } from "./sums.js";
import { Tables, plain } from "./table_view.js";
import { regionColumns, regionRows, waitColumns, waitRows } from "./waits.js";

const activityRows = () => report.activities.map((a) => ({ ...a, n_samples: null, main: a.entries.map((e) => e.name).join(", ") }));
const place = (row) => row.hot_file ? `${row.hot_file}:${row.hot_line}` : row.file ? `${row.file}:${row.line}` : "";
const samplesColumn = () => isPart() ? [] : [{ title: "samples", key: (r) => r.n_samples, text: (r) => count(r.n_samples) }];
// Columns for shares of latency. Where mostly one thread ran they are left out: they would equal shares of CPU time.
const latencyColumns = () => !hasLatency || !report.parallel || report.parallel.mean_threads < 1.05 ? [] : [
	{ title: "latency self %", key: (r) => r.self_latency_share, text: (r) => percent(r.self_latency_share), bar: (r) => r.self_latency_share },
	{ title: "latency total %", key: (r) => r.total_latency_share, text: (r) => percent(r.total_latency_share), bar: (r) => r.total_latency_share },
];
const shareColumns = () => [
	{ title: "self", key: (r) => r.self_ns, text: (r) => time(r.self_ns) },
	{ title: "self %", key: (r) => r.self_share, text: (r) => percent(r.self_share), bar: (r) => r.self_share },
	{ title: "± self", key: (r) => r.self_share_error, text: (r) => points(r.self_share_error) },
	{ title: "total %", key: (r) => r.total_share, text: (r) => percent(r.total_share), bar: (r) => r.total_share },
	{ title: "± total", key: (r) => r.total_share_error, text: (r) => points(r.total_share_error) },
	...latencyColumns(),
	...samplesColumn(),
];
const ratioColumns = () => isPart() ? [] : data.ratios.map((ratio, kind) => ({
	title: ratio.title, key: (r) => r.ratios && Array.isArray(r.ratios[kind]) ? r.ratios[kind][0] : null,
	text: (r) => ratioValue(kind, r), uncertain: (r) => r.ratios && r.ratios[kind] === 0,
}));
// Tells whether an event's column would have no number. It is left out then, and the note above the table says so.
const saysNothing = (rows, e) => rows.every((r) => !r.events[e.name] || r.events[e.name].mixed || r.events[e.name].value === 0 || r.events[e.name].value === null);
const eventsOf = (rows) => isPart() ? [] : report.events.filter((e) => !saysNothing(rows, e));
// The page's data leaves out counts of places that are exactly zero.
const eventColumns = (rows) => eventsOf(rows).map((e) => ({
	title: e.name, key: (r) => r.events[e.name] ? r.events[e.name].value : 0,
	text: (r) => r.events[e.name] ? (r.events[e.name].mixed ? "mixed" : valueText(r.events[e.name])) : "0",
	uncertain: (r) => r.events[e.name] && (r.events[e.name].mixed || r.events[e.name].estimate),
}));
const nameColumn = (title) => ({ title, key: (r) => r.name, text: (r) => clip(r.name), whole: (r) => r.name, isText: true });
const procedureColumn = { ...nameColumn("procedure"), picks: "Show its callers and callees", pick: pickProcedure };
const placeColumn = { title: "hottest line", key: place, text: (r) => place(r).split("/").pop(), whole: place, isText: true };
const fileColumn = { title: "library", key: (r) => r.module, text: (r) => (r.module || "").split("/").pop(), whole: (r) => r.module, isText: true };
const cpuColumns = () => [
	{ title: "CPU time", key: (r) => r.cpu_ns, text: (r) => time(r.cpu_ns), bar: (r) => r.cpu_ns / Math.max(1, run.cpu_ns) },
	{ title: "waiting", key: (r) => r.waiting_ns, text: (r) => time(r.waiting_ns) },
	...(isPart() ? [] : [{ title: "ready without a CPU", key: (r) => r.ready_ns, text: (r) => time(r.ready_ns) }]),
	...samplesColumn(),
];
const tableList = [
	{ name: "Procedures", rows: () => isPart() ? proceduresOfPart() : report.procedures, columns: (rows) => [procedureColumn, ...shareColumns(), ...ratioColumns(), fileColumn, placeColumn, ...eventColumns(rows)] },
	{ name: "Lines", rows: () => isPart() ? linesOfPart() : report.lines, columns: (rows) => [{ ...plain("line", place), whole: place }, procedureColumn, ...shareColumns(), fileColumn, ...eventColumns(rows)] },
	{ name: "Loops", hidden: !(report.loops || []).some((row) => row.depth), rows: () => isPart() ? loopsOfPart() : report.loops, columns: (rows) => [nameColumn("loop, or the rest of a procedure"), plain("nest", (r) => r.nest),
		{ title: "depth", key: (r) => r.depth || 0, text: (r) => r.depth ? String(r.depth) : "" }, ...shareColumns(), fileColumn, ...eventColumns(rows)] },
	{ name: "Libraries", rows: () => isPart() ? librariesOfPart() : report.modules, columns: (rows) => [nameColumn("library"), ...shareColumns(), plain("path", (r) => r.module), ...eventColumns(rows)] },
	{ name: "Activities", rows: () => isPart() ? activitiesOfPart() : activityRows(), columns: () => [plain("what for", (r) => r.title),
		{ title: "CPU time", key: (r) => r.ns, text: (r) => time(r.ns) }, { title: "%", key: (r) => r.share, text: (r) => percent(r.share), bar: (r) => r.share },
		{ title: "±", key: (r) => r.share_error, text: (r) => points(r.share_error) }, plain("mostly by", (r) => r.main)] },
	{ name: "Threads", rows: () => isPart() ? threadsOfPart() : report.threads, columns: (rows) => [nameColumn("thread"), { title: "tid", key: (r) => r.tid, text: (r) => String(r.tid) }, plain("program", (r) => r.program), ...cpuColumns(), ...eventColumns(rows)] },
	{ name: "Processes", rows: () => isPart() ? processesOfPart() : report.processes, columns: (rows) => [{ title: "pid", key: (r) => r.pid, text: (r) => String(r.pid) }, plain("command", (r) => r.command || r.program), plain("rank", (r) => r.rank), ...cpuColumns(), plain("ended", (r) => r.ended)] },
	{ name: "Ranks", hidden: !hasRanks, isInOrder: true, whole: noteOfRanks, rows: rankRows, columns: rankColumns },
	{ name: "Events", rows: eventRows, columns: () => [plain("event", (r) => r.name),
		{ title: "count", key: (r) => r.total, text: (r) => r.total === null ? "not known" : `${r.ofRange || r.estimate ? "~" : ""}${count(r.total)}`, uncertain: (r) => r.ofRange || r.estimate },
		{ title: "± (95 of 100)", key: (r) => r.error, text: (r) => r.total === null || r.ofRange ? "" : r.error ? countBar(r.error) : r.estimate ? "" : "exact" },
		{ title: "counted in", key: (r) => r.n_slices_measured, text: (r) => r.n_slices ? `${percent(r.n_slices_measured / r.n_slices)} of the slices` : "" }, plain("else filled by", (r) => r.estimator)] },
	{ name: "Phases", hidden: !hasPhases, isInOrder: true, rows: phaseRows, columns: phaseColumns },
	{ name: "Serial parts", hidden: !hasSerialParts, isInOrder: true, note: noteOfSerialParts, rows: serialRows, columns: serialColumns },
	{ name: "Regions", hidden: !(report.regions || []).length, isInOrder: true, whyOfRun: () => whyOfRun(sums.regions), note: noteOfRegions, rows: regionRows, columns: regionColumns },
	{ name: "Waits", hidden: !(report.waits || []).length, whyOfRun: () => whyOfRun(sums.waits), note: noteOfWaits, rows: waitRows, columns: waitColumns },
];

function tableNote(shown, nAll) {
	const rows = isPart() ? [] : shown.rows(), left = rows.length && rows[0].events ? report.events.filter((e) => e.total !== null && saysNothing(rows, e)).map((e) => e.name) : [];
	const notes = [several(nAll, "row", "s")];
	const why = isPart() && shown.whyOfRun ? shown.whyOfRun() : "";
	if (shown.whole && shown.whole()) notes.push(shown.whole());
	if (why) notes.push(`of ${ofAll}: ${why}, so that a range or a thread does not change them`);
	else if (isPart() && shown.note) notes.push(shown.note());
	else if (isPart()) notes.push(`of the chosen part${shown.name === "Events" ? ", by each event's rate over time" : `; counts by place are known of ${ofAll} only`}`);
	if (left.length) notes.push(`no columns for ${left.slice(0, 6).join(", ")}${left.length > 6 ? ` and ${left.length - 6} more` : ""}: zero, or not to be told from those of other places`);
	return notes.join("; ");
}

export const tables = new Tables(tableList.filter((t) => !t.hidden), { search: () => chosen.search, note: tableNote });
