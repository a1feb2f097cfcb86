// SPDX-License-Identifier: BSD-3-Clause
// Computes the values of calls, and rows of tables, for the chosen part of the run.
import { data, sumUp } from "./base.js";
import { sum } from "./d3.js";
import { chosen, hasLives, modules, nNodes, nodes, procedureOf, rangeSeconds, report, run, symbols, times } from "./data.js";

// ---- values of calls ----

export const columns = data.columns.filter((c) => c.kind !== "error" && c.kind !== "measured");
export const column = () => columns[chosen.column];
export const selfOf = new Map(data.columns.map((c) => {
	const values = new Float64Array(nNodes);
	c.nodes.forEach((node, i) => { values[node] = c.values[i]; });
	return [c.name, values];
}));

// The log of times tells when a node had its time. The report knows more exactly how much time the node has in all, so
// times of the log are scaled to that.
const logged = new Float64Array(nNodes), loggedLatency = new Float64Array(nNodes);
export const hasLatency = selfOf.has("latency") && times.latency_weight.length > 0;
for (let i = 0; i < times.node.length; i++) {
	logged[times.node[i]] += times.us[i];
	if (hasLatency) loggedLatency[times.node[i]] += times.us[i] * times.latency_weight[times.bin[i]];
}

// Measures the CPU time of the chosen part in each call itself and in each thread. Also measures the latency of each
// call, by the weight of each step, which tells how many threads ran at a time.
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
export function part() {
	if (!measured || measured.key !== partKey()) measured = measurePart();
	return measured;
}

export const totalsOf = (self) => sumUp(Float64Array.from(self, (v) => Math.max(0, v)), nodes.parent);

// ---- shares ----

// Returns the standard error of the share p of `all` nanoseconds of CPU time. Where the share is 0 or 1, it follows
// from the rule of three.
export function shareError(p, all) {
	const nSamples = Math.max(1, all / (run.period_ms * 1e6));
	return p <= 0 || p >= 1 ? Math.min(3 / nSamples, 1) / 1.96 : Math.sqrt(p * (1 - p) / nSamples);
}

// Makes rows for the chosen part, from the log of times. keysOf returns the keys of a call, for example its procedure,
// or the loops around it. The call's own time belongs to the first key. The total of a key also has the time of all
// that was called; in a recursion it counts once.
export function sharesOfPart(keysOf) {
	const { self, latency } = part(), totals = totalsOf(self), latencies = totalsOf(latency), all = totals[0] || 1, allLatency = latencies[0] || 1;
	const rows = new Map(), entered = [];
	for (let i = 1; i < nNodes; i++) {
		if (totals[i] <= 0) continue;
		const keys = keysOf(i), above = entered[nodes.parent[i]] || new Set();
		entered[i] = keys.every((key) => above.has(key)) ? above : new Set([...above, ...keys]);
		keys.forEach((key, depth) => {
			if (!rows.has(key)) rows.set(key, { key, node: i, self_ns: 0, total_ns: 0, self_latency: 0, total_latency: 0, n_samples: null, events: {} });
			const row = rows.get(key);
			if (depth === 0) { row.self_ns += self[i]; row.self_latency += latency[i]; }
			if (!above.has(key)) { row.total_ns += totals[i]; row.total_latency += latencies[i]; }
		});
	}
	return [...rows.values()].map((row) => {
		const self_share = row.self_ns / all, total_share = Math.min(1, row.total_ns / all);
		return { ...row, self_share, total_share, self_share_error: shareError(self_share, all), total_share_error: shareError(total_share, all),
			self_latency_share: row.self_latency / allLatency, total_latency_share: Math.min(1, row.total_latency / allLatency) };
	});
}

// ---- rows of tables ----

export const linesOfPart = () => sharesOfPart((i) => nodes.file[i] ? [`${nodes.symbol[i]} ${nodes.file[i]} ${nodes.line[i]}`] : [])
	.map((row) => ({ ...row, ...procedureOf(row.node), hot_file: data.files[nodes.file[row.node]], hot_line: nodes.line[row.node] }))
	.filter((row) => row.self_ns > 0);

export function proceduresOfPart() {
	const hottest = new Map();
	for (const line of linesOfPart()) {
		const symbol = nodes.symbol[line.node];
		if (!hottest.has(symbol) || hottest.get(symbol).self_ns < line.self_ns) hottest.set(symbol, line);
	}
	return sharesOfPart((i) => [nodes.symbol[i]]).map((row) => {
		const { hot_file, hot_line } = hottest.get(row.key) || {};
		return { ...row, ...procedureOf(row.node), hot_file, hot_line };
	});
}

export const librariesOfPart = () => sharesOfPart((i) => [symbols.module[nodes.symbol[i]]]).map((row) => ({ ...row, module: modules[row.key], name: modules[row.key].split("/").pop() }));

export function threadsOfPart() {
	const [from, to] = rangeSeconds();
	return report.threads.map((thread, i) => {
		const cpu_ns = part().threads[i], alive_s = Math.min(to, thread.start_s + thread.duration_s) - Math.max(from, thread.start_s);
		return { ...thread, cpu_ns, waiting_ns: hasLives ? Math.max(0, 1e9 * alive_s - cpu_ns) : null, ready_ns: null, n_samples: null, events: {}, alive_s, i };
	}).filter((thread) => (chosen.thread < 0 || chosen.thread === thread.i) && (thread.cpu_ns > 0 || thread.alive_s > 0));
}

export function processesOfPart() {
	const threads = threadsOfPart();
	return report.processes.map((process) => {
		const own = threads.filter((thread) => thread.pid === process.pid && thread.program === process.program && thread.rank === process.rank);
		return { ...process, cpu_ns: sum(own, (t) => t.cpu_ns), waiting_ns: hasLives ? sum(own, (t) => t.waiting_ns) : null, ready_ns: null, n_samples: null, events: {}, n: own.length };
	}).filter((process) => process.n);
}

export function activitiesOfPart() {
	const self = part().self, sums = new Float64Array(data.activities.length), all = sum(self) || 1;
	for (let i = 1; i < nNodes; i++) sums[nodes.activity[i]] += self[i];
	return data.activities.map((title, a) => ({ title, ns: sums[a], share: sums[a] / all, share_error: shareError(sums[a] / all, all), main: "" }))
		.filter((row) => row.ns > 0);
}

// Returns an event's count in the range, from its rate over time.
function eventOfRange(name) {
	const rate = report.timeline.events_per_s[name], [from, to] = rangeSeconds(), bin_s = report.timeline.bin_s;
	const start = (i) => run.from_s + i * bin_s;
	return rate ? sum(rate, (perSecond, i) => perSecond * Math.max(0, Math.min(to, start(i) + bin_s) - Math.max(from, start(i)))) : null;
}

export function eventRows() {
	return report.events.map((event) => {
		const thread = chosen.thread >= 0 ? report.threads[chosen.thread].events[event.name] : null;
		if (chosen.thread >= 0 && chosen.range) return { ...event, total: null, error: null };
		if (thread) return { ...event, total: thread.value, error: thread.error, estimate: thread.estimate };
		return chosen.range ? { ...event, total: eventOfRange(event.name), error: null, ofRange: true } : event;
	});
}
