// SPDX-License-Identifier: BSD-3-Clause
// Computes waits and regions of the chosen part, from sums for each thread and step of the timeline.
import { count, data, percent, time } from "./base.js";
import { sum } from "./d3.js";
import { chosen, isPart, nNodes, report, times } from "./data.js";
import { column, hasLatency, part, selfOf, shareError } from "./part.js";

export const sums = data.sums;

// Where there are many threads, the last ones are joined. If one of these is chosen, the whole run is shown instead.
const follows = (of) => of.ns.length > 0 && chosen.thread < of.n_threads;
export const followsWaits = () => follows(sums.waits), followsRegions = () => follows(sums.regions);
export const whyOfRun = (of) => !of.ns.length ? "when they were is not in the trace" : follows(of) ? "" : `all threads but the first ${count(of.n_threads)} are one on the page`;

// Returns the share of a sum that lies in the chosen range. A step of sums may be several steps of the timeline.
function shareInRange(of, i) {
	if (!chosen.range) return 1;
	const start = of.bin[i] * of.bins_joined, from = Math.max(start, of.first[i]), to = Math.min(start + of.bins_joined, of.last[i] + 1);
	return Math.max(0, Math.min(to, chosen.range[1]) - Math.max(from, chosen.range[0])) / (to - from);
}

// Calls see(i, share) for each sum that is at least partly in the chosen part; share is how much of it is there.
function eachOfPart(of, see) {
	for (let i = 0; i < of.ns.length; i++) {
		if (chosen.thread >= 0 && of.thread[i] !== chosen.thread) continue;
		const share = shareInRange(of, i);
		if (share > 0) see(i, share);
	}
}

// Tells whether a sum may reach over the border of the range: then its share in the range is an estimate.
const reachesOver = (of, i) => chosen.range && (of.first[i] < chosen.range[0] || of.last[i] >= chosen.range[1]) || of.first[i] < 0 || of.last[i] >= times.n_bins;

// Returns the sums of the chosen part for each row of the report; -1 stands for all rows with little time.
function sumsOfPart(of) {
	const rows = new Map();
	eachOfPart(of, (i, share) => {
		let row = rows.get(of.row[i]);
		if (!row) rows.set(of.row[i], row = { n: 0, ns: 0, cpu_ns: 0, longest_ns: 0, threads: new Set(), isCut: false });
		row.n += share * of.n[i];
		row.ns += share * of.ns[i];
		row.cpu_ns += share * of.cpu_ns[i];
		row.longest_ns = Math.max(row.longest_ns, of.longest_ns[i]);
		row.threads.add(of.thread[i]);
		row.isCut = row.isCut || (of.ns[i] > 0 && reachesOver(of, i));
	});
	return rows;
}

const otherWaits = () => ({ kind: sums.waits.least_share > 0 && sums.waits.least_share < 1 ? `others, each less than ${percent(sums.waits.least_share)}` : "others", what: null, path: "", procedure: "", holders: [], is_estimate: true });

// Returns the rows of waits of the chosen part. A wait that reaches over the border counts as one, and is as long as
// its part inside, as with evreport --from and --to. The number of threads is not known where threads are joined.
export function waitsOfPart() {
	const rows = [...sumsOfPart(sums.waits)], all = sum(rows, ([, of]) => of.ns) || 1;
	return rows.map(([row, of]) => {
		const wait = row < 0 ? otherWaits() : report.waits[row];
		return { ...wait, ns: of.ns, n_waits: of.n > 1 ? Math.round(of.n) : 1, longest_ns: Math.min(of.longest_ns, of.ns),
			n_threads: of.threads.has(-1) ? null : of.threads.size, share: of.ns / all, is_estimate: wait.is_estimate || of.isCut };
	});
}

function waitsByNode() {
	const self = new Float64Array(nNodes);
	eachOfPart(sums.waits, (i, share) => { self[sums.waits.node[i]] += share * sums.waits.ns[i]; });
	return self;
}

// Tells whether the page knows a column's values in a part of the run. Counts of places are of the whole run only.
export const followsRange = ({ name }) => name === "cpu" || (name === "latency" && hasLatency) || (name === "waits" && followsWaits());

// Returns the values of the chosen column in each call itself.
export function currentSelf() {
	const { name } = column();
	if (!isPart() || !followsRange(column())) return selfOf.get(name);
	return name === "cpu" ? part().self : name === "waits" ? waitsByNode() : part().latency;
}

// Sets the total time of regions. The regions inside a region come behind it in the report.
function addInner(rows) {
	rows.forEach((row, i) => {
		row.total_ns = row.self_ns;
		for (let inner = i + 1; inner < rows.length && rows[inner].depth > row.depth; inner++) row.total_ns += rows[inner].self_ns;
	});
}

// Regions with little time are joined into others, and have no sums here. They are left out, since with zeros they
// would seem not to be in the part.
const toldRegions = new Set(sums.regions.row);
const isLeftOut = (region) => sums.regions.least_share > 0 && !toldRegions.has(region.order);

export function regionsOfPart() {
	const of = sumsOfPart(sums.regions), all = sum(part().self) || 1;
	const allRows = report.regions.map((region, order) => {
		const { n, ns, cpu_ns, isCut } = of.get(order) || { n: 0, ns: 0, cpu_ns: 0, isCut: false };
		return { ...region, order, n_entries: n > 0 && n < 1 ? 1 : Math.round(n), wall_s: ns / 1e9, self_ns: cpu_ns, is_estimate: isCut };
	});
	addInner(allRows);
	const rows = allRows.filter((row) => !isLeftOut(row));
	for (const row of rows) {
		row.self_share = Math.min(1, row.self_ns / all);
		row.total_share = Math.min(1, row.total_ns / all);
		row.self_error = shareError(row.self_share, all);
		row.total_error = shareError(row.total_share, all);
		row.waiting_s = Math.max(0, row.wall_s - row.total_ns / 1e9);
		row.waiting_error_s = row.is_estimate || row.total_error === null ? null : row.total_error * all / 1e9;
	}
	return rows;
}

export const noteOfCalls = () => isPart() && followsWaits() && sums.waits.least_share ? "Waits with little time are in no call here." : "";
// Says what the page joins to keep its size small.
export const boundsOf = (of) => [of.bins_joined > 1 && `in ranges steps of ${time(1e9 * of.bins_joined * times.bin_s)}`, of.least_share > 0 && `rows with less than ${percent(Math.min(1, of.least_share))} of the time are not told apart`,
	of.ns.length && of.n_threads < report.threads.length && `all threads but the first ${count(of.n_threads)} are one`].filter(Boolean).join("; ");

const ofReduced = "; of what was reduced it is not known when it was, so that it is left out";
export const noteOfWaits = () => `of the chosen part; ~ is a share of what may lie outside, or stands for waits like it${sums.has_all ? "" : ofReduced}`;
export const noteOfRegions = () => `of the chosen part; ~ is a share of what may lie outside${sums.regions.least_share ? `; regions with less than ${percent(Math.min(1, sums.regions.least_share))} of the time are left out, and their CPU time is in the region around them` : ""}${sums.has_all ? "" : ofReduced}`;
