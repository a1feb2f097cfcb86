// SPDX-License-Identifier: BSD-3-Clause
// What the page is of, what is chosen, and how numbers are written.
const report = data.report, run = report.run;
const nodes = data.nodes, symbols = data.symbols, modules = data.modules;
const nNodes = nodes.parent.length;
const ROWS_AT_FIRST = 200;
// Of base 64, from 0 on.
const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
// --region, --process and the like leave a part of the run: the page knows no more than that.
// With --region a thread has the time in it, and not that from its start to its end.
const hasLives = !/\bin region /.test(run.selection || "");
const ofAll = run.selection ? "the part of the run that was asked for" : "the whole run";

// ---- what is chosen ----

const chosen = { range: null, thread: -1, column: 0, search: "", color: "library", rows: "activity", inverted: false, procedure: -1, zoom: null };

// 95 times of 100, as everywhere in evprof
// "±1.2"; "±<0.1" where the digits would be zeros: ±0.0 is for what is exact.
const bar95 = (half, digits) => half > 0 && half < 0.5 * 10 ** -digits ? `±<${(10 ** -digits).toFixed(digits)}` : `±${half.toFixed(digits)}`;
// The same for a count's standard error.
const countBar = (error) => 1.96 * error < 0.5 ? bar95(1.96 * error, 0) : `±${count(1.96 * error)}`;
const points = (error) => run.exact ? "exact" : error === null || error === undefined ? "" : bar95(196 * error, 1);

const isTime = (column) => column.unit === "ns" || column.unit === "nanoseconds";
const columnTitles = { cpu: "CPU time", latency: "latency", waits: "time in calls that waited" };
const columnTitle = (column) => columnTitles[column.name] || column.name;

function show(value, column) {
	return isTime(column) ? time(value) : count(value);
}

// ---- values of nodes ----

const children = Array.from({ length: nNodes }, () => []);
for (let i = 1; i < nNodes; i++) children[nodes.parent[i]].push(i);

const columns = data.columns.filter((c) => c.kind !== "error" && c.kind !== "measured");
const selfOf = new Map();
for (const c of data.columns) {
	const values = new Float64Array(nNodes);
	c.nodes.forEach((node, i) => { values[node] = c.values[i]; });
	selfOf.set(c.name, values);
}

// The log says when a node had its time; how much it has in all the report knows better.
const times = data.times;
const logged = new Float64Array(nNodes), loggedLatency = new Float64Array(nNodes);
const hasLatency = selfOf.has("latency") && times.latency_weight.length > 0;
for (let i = 0; i < times.node.length; i++) {
	logged[times.node[i]] += times.us[i];
	if (hasLatency) loggedLatency[times.node[i]] += times.us[i] * times.latency_weight[times.bin[i]];
}

// CPU time of the chosen part: in each call itself, and in each thread; and its latency, by how many threads ran at
// a time in each step.
function measurePart() {
	const self = new Float64Array(nNodes), all = selfOf.get("cpu"), threads = new Float64Array(report.threads.length);
	const latency = new Float64Array(nNodes), allLatency = selfOf.get("latency");
	for (let i = 0; i < times.node.length; i++) {
		const node = times.node[i], bin = times.bin[i], thread = times.thread[i];
		if (chosen.range && (bin < chosen.range[0] || bin >= chosen.range[1])) continue;
		if (chosen.thread >= 0 && thread !== chosen.thread) continue;
		const ns = times.us[i] * all[node] / logged[node];
		self[node] += ns;
		if (thread >= 0) threads[thread] += ns;
		if (hasLatency) latency[node] += times.us[i] * times.latency_weight[bin] * allLatency[node] / (loggedLatency[node] || 1);
	}
	return { key: partKey(), self, threads, latency };
}

const partKey = () => `${chosen.range} ${chosen.thread}`;
let measured = null;
function part() {
	if (!measured || measured.key !== partKey()) measured = measurePart();
	return measured;
}

const isPart = () => chosen.range !== null || chosen.thread >= 0;
const column = () => columns[chosen.column];

// Counts are known by place, not by place and time.
const followsRange = (column) => column.name === "cpu" || (column.name === "latency" && hasLatency) || (column.name === "waits" && followsWaits());

function currentSelf() {
	if (!isPart() || !followsRange(column())) return selfOf.get(column().name);
	return column().name === "cpu" ? part().self : column().name === "waits" ? waitsByNode() : part().latency;
}

function totalsOf(self) {
	const totals = Float64Array.from(self, (v) => Math.max(0, v));
	for (let i = nNodes - 1; i > 0; i--) totals[nodes.parent[i]] += totals[i];
	return totals;
}

// ---- colours ----

// By enum ep_activity; the kernel has the same colour everywhere.
const KERNEL_COLOR = "#e8a39a";
const activityColors = ["#8fc1a9", "#b39ddb", "#90b4e8", "#a4d65e", "#f2c06d", "#e6d36a", "#c9d67f", "#d9a3c7", "#9fd3dd", "#e58f5a", "#c4c8cf", "#d97b7b", "#a9b98f", "#c7b299", "#d8c7b4", "#8f9fc9", KERNEL_COLOR];
const activityTitle = (a) => data.activities[a].replace(/ \(.*/, "");

function hue(text) {
	let hash = 7;
	for (let i = 0; i < text.length; i++) hash = (hash * 31 + text.charCodeAt(i)) >>> 0;
	return hash % 360;
}
