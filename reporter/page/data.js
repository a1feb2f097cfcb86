// SPDX-License-Identifier: BSD-3-Clause
// The run that the page shows, the part of it that is chosen, and how numbers are written.
import { count, data, percent, time } from "./base.js";
import { dispatch } from "./d3.js";

export const { report, nodes, symbols, modules, times } = data, run = report.run;
export const nNodes = nodes.parent.length, BINS = times.n_bins;
// The digits of base 64, from 0 to 63.
export const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
// Options such as --region and --process leave only a part of the run on the page. With --region the page knows of a
// thread only its time inside the region: its start and its end do not tell how long it waited.
export const hasLives = !/\bin region /.test(run.selection || "");
export const ofAll = run.selection ? "the part of the run that was asked for" : "the whole run";
// Reduced files and exact runs have sums only, which do not tell when threads ran. Rows of threads are not drawn then:
// they would be grey, as if the threads waited.
export const hasTimes = times.node.length > 0 || !run.n_samples;

// ---- what is chosen ----

export const chosen = { range: null, thread: -1, column: 0, search: "", color: "library", rows: "activity", inverted: false, procedure: -1 };
export const isPart = () => chosen.range !== null || chosen.thread >= 0;
// These events tell the views that another part of the run, or another procedure, was chosen.
export const changes = dispatch("part", "procedure");

// Chooses the range from a to b, widened to whole steps of the timeline. The whole timeline is no range.
export function setRange(a, b) {
	const from = Math.max(0, Math.floor(Math.min(a, b) + 1e-6)), to = Math.min(BINS, Math.ceil(Math.max(a, b) - 1e-6));
	if (hasTimes) chosen.range = to > from && !(from === 0 && to === BINS) ? [from, to] : null;
}

export function pickThread(thread) {
	chosen.thread = thread === chosen.thread ? -1 : thread;
	changes.call("part");
}

export function pickProcedure(row) {
	const symbol = symbolOf.get(`${row.name}\n${row.module}`);
	if (symbol === undefined) return;
	chosen.procedure = symbol;
	changes.call("procedure");
}

// Returns the beginning and the end of the range in seconds of the run.
export const rangeSeconds = () => (chosen.range || [0, BINS]).map((bin) => run.from_s + bin * times.bin_s);
// Returns the range in steps of the report. A step of the page may be several of these.
export const reportBins = () => chosen.range.map((bin) => bin * times.bin_s / report.timeline.bin_s);
const rangeEnds = () => rangeSeconds().map((s) => s.toPrecision(4));
export const rangeText = () => `from ${rangeEnds().join(" to ")} s`;
export const rangeOptions = () => `--from ${rangeEnds().join(" --to ")}`;

// ---- numbers ----

// An error bar holds 95 times of 100, as everywhere in evprof. It is written as "±1.2", or as "±<0.1" where only zeros
// would be left, since "±0.0" would mean an exact value.
export const bar95 = (half, digits) => half > 0 && half < 0.5 * 10 ** -digits ? `±<${(10 ** -digits).toFixed(digits)}` : `±${half.toFixed(digits)}`;
// Returns the error bar of a count, from its standard error.
export const countBar = (error) => 1.96 * error < 0.5 ? bar95(1.96 * error, 0) : `±${count(1.96 * error)}`;
export const points = (error) => run.exact ? "exact" : error === null || error === undefined ? "" : bar95(196 * error, 1);

const isTime = (column) => column.unit === "ns" || column.unit === "nanoseconds";
const columnTitles = { cpu: "CPU time", latency: "latency", waits: "time in calls that waited" };
export const columnTitle = (column) => columnTitles[column.name] || column.name;
export const show = (value, column) => isTime(column) ? time(value) : count(value);

export function valueText(value) {
	if (value.value === null) return "not known";
	if (value.mixed) return `between ${count(value.low)} and ${count(value.high)} (mixed with other procedures')`;
	return `${value.estimate ? "~" : ""}${count(value.value)}${value.error ? ` ${countBar(value.error)}` : ""}`;
}

export const ratioText = (kind, value) => data.ratios[kind].is_share ? percent(value) : value.toPrecision(3);

export function ratioValue(kind, row) {
	const value = row.ratios && row.ratios[kind];
	if (!Array.isArray(value)) return value === 0 ? "mixed" : "";
	const bar = value[1] === null || value[1] === 0 ? "" : data.ratios[kind].is_share ? ` ${bar95(100 * value[1], 1)}` : ` ±${value[1].toPrecision(2)}`;
	return ratioText(kind, value[0]) + bar;
}

// ---- procedures and threads ----

export const nameOf = (symbol) => symbol < 0 ? "all" : symbols.name[symbol];
export const moduleOf = (symbol) => symbol < 0 ? "" : modules[symbols.module[symbol]];
export const procedureOf = (node) => ({ name: nameOf(nodes.symbol[node]), module: moduleOf(nodes.symbol[node]) });
const symbolOf = new Map(symbols.name.map((name, i) => [`${name}\n${moduleOf(i)}`, i]));

report.procedures.forEach((row, i) => { row.ratios = data.ratios.map((ratio) => i < ratio.values.length ? ratio.values[i] : null); });
const rowOf = new Map(report.procedures.map((p) => [`${p.name}\n${p.module}`, p]));
export const rowOfSymbol = (symbol) => symbol < 0 ? undefined : rowOf.get(`${nameOf(symbol)}\n${moduleOf(symbol)}`);

export function threadName(thread) {
	if (thread.rank === null) return `${thread.name} ${thread.tid}`;
	return `rank ${thread.rank}${thread.tid === thread.pid ? "" : `, ${thread.name} ${thread.tid}`}`;
}

// ---- colours ----

// Activities are in the order of enum ep_activity. The kernel has this colour in all colourings.
export const KERNEL_COLOR = "#e8a39a";
export const activityColors = ["#8fc1a9", "#b39ddb", "#90b4e8", "#a4d65e", "#f2c06d", "#e6d36a", "#c9d67f", "#d9a3c7", "#9fd3dd", "#e58f5a", "#c4c8cf", "#d97b7b", "#a9b98f", "#c7b299", "#d8c7b4", "#8f9fc9", KERNEL_COLOR];
export const activityTitle = (a) => data.activities[a].replace(/ \(.*/, "");
