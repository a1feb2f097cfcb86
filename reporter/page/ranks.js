// SPDX-License-Identifier: BSD-3-Clause
// Shows the ranks of MPI in a table, and in a map of all ranks over time.
import { byId, clip, count, data, hideTip, make, percent, showTip, time } from "./base.js";
import { event, max, range, scaleLinear, select, sum } from "./d3.js";
import { DIGITS, chosen, hasTimes, isPart, pickThread, report, reportBins, run, times } from "./data.js";
import { plain } from "./table_view.js";

const rankMap = data.rank_map, MAP_PX = 420, MAP_ROW_PX = 14;
export const nRanks = rankMap.n_ranks, hasRanks = nRanks > 1, nOfMapRow = rankMap.n_of_row;
const MOST_BUSY = 4095; // the largest number of two digits stands for the busiest step of all ranks
const readBusy = (digits) => Array.from({ length: digits.length / 2 }, (_, i) => (64 * DIGITS.indexOf(digits[2 * i]) + DIGITS.indexOf(digits[2 * i + 1])) / MOST_BUSY * rankMap.most);
// busy is the number of CPUs in each step of the report. The table lists only some of many ranks. The map shows all of
// them, and a row may be the mean of neighbours.
const ranks = data.ranks.map((rank) => ({ ...rank, busy: readBusy(rank.busy) }));
const mapRows = rankMap.rows.map((row) => ({ ...row, busy: readBusy(row.busy) }));
export const rankOrder = new Map(ranks.map((rank) => [rank.name, rank.order]));
export const noteOfRanks = () => ranks.length < nRanks ? `of ${count(nRanks)} ranks those with the most and with the least CPU time outside of MPI` : "";

// Returns a rank's CPU time in the chosen range, from how busy the rank was. The log of times would not do, since in a
// large run it joins threads.
function rankCpu(rank) {
	if (!chosen.range) return rank.cpu_ns;
	const [from, to] = reportBins();
	return sum(rank.busy, (busy, i) => busy * Math.max(0, Math.min(to, i + 1) - Math.max(from, i))) * 1e9 * report.timeline.bin_s;
}

export function rankRows() {
	const only = chosen.thread < 0 ? null : report.threads[chosen.thread].rank;
	return ranks.map((rank) => ({ ...rank, cpu_ns: rankCpu(rank) })).filter((rank) => only === null || rank.name === only);
}

export const rankColumns = (rows) => {
	const mostCpu = max(rows, (r) => r.cpu_ns) || 1, mostOwn = max(rows, (r) => r.own_ns) || 1;
	return [
		{ title: "rank", key: (r) => r.order, text: (r) => r.name, isText: true },
		...(run.n_hosts > 1 ? [plain("host", (r) => r.host)] : []),
		{ title: "CPU time", key: (r) => r.cpu_ns, text: (r) => time(r.cpu_ns), bar: (r) => r.cpu_ns / mostCpu },
		...(isPart() ? [] : [
			{ title: "outside of MPI", key: (r) => r.own_ns, text: (r) => time(r.own_ns), bar: (r) => (r.own_ns || 0) / mostOwn },
			{ title: "in MPI %", key: (r) => r.mpi_share, text: (r) => r.mpi_share === null ? "-" : percent(r.mpi_share) },
			{ title: "ready without a CPU", key: (r) => r.ready_ns, text: (r) => time(r.ready_ns) }]),
	];
};

// ---- the map ----

const mapMost = Math.max(1e-4, max(mapRows, (row) => max(row.busy)) || 0);
const rowName = (row) => row.first === row.last ? `rank ${clip(row.first)}` : `ranks ${clip(row.first)} to ${clip(row.last)}`;

function drawMap() {
	const canvas = byId("ranks-map"), n = mapRows[0].busy.length, context = canvas.getContext("2d"), image = context.createImageData(n, mapRows.length);
	Object.assign(canvas, { width: n, height: mapRows.length });
	canvas.style.height = byId("ranks-names").style.height = `${Math.min(MAP_PX, mapRows.length * MAP_ROW_PX)}px`;
	mapRows.forEach((row, y) => row.busy.forEach((busy, x) => image.data.set([31, 111, 235, 255 * busy / mapMost], 4 * (y * n + x))));
	context.putImageData(image, 0, 0);
	const last = mapRows.length - 1, marks = last > 1 ? [0, mapRows.length >> 1, last] : [0, last];
	byId("ranks-names").replaceChildren(...marks.map((i) => make("span", {}, `rank ${clip(i === last ? mapRows[i].last : mapRows[i].first)}`)));
	byId("ranks-note").textContent = `${nOfMapRow > 1 ? `One row the mean of ${nOfMapRow} ranks` : "One row a rank"}, over the time of the run: the darker, the busier. The darkest is ${mapMost.toPrecision(2)} CPUs. `
		+ `Many MPIs keep a CPU busy while they wait. A click shows the busiest thread of the ${nOfMapRow > 1 ? "row's ranks, if it is listed," : "rank"} alone.`;
}

export function placeMapPick() {
	const pick = byId("ranks-pick");
	pick.hidden = !chosen.range || !hasRanks;
	if (pick.hidden) return;
	const [from, to] = reportBins(), n = mapRows[0].busy.length;
	pick.style.left = `${100 * from / n}%`;
	pick.style.width = `${100 * (Math.min(to, n) - from) / n}%`;
}

// Returns [row, bin] at the mouse.
function mapAt() {
	const box = byId("ranks-map").getBoundingClientRect(), place = (from, to, n) => scaleLinear().domain([from, to]).rangeRound([-.5, n - .5]).clamp(true);
	return [place(box.top, box.bottom, mapRows.length)(event.clientY), place(box.left, box.right, mapRows[0].busy.length)(event.clientX)];
}

function showRank() {
	const [i, bin] = mapAt(), row = mapRows[i], rank = ranks.find((r) => row.first === row.last && r.name === row.first);
	showTip(`${rowName(row)}${rank && rank.host ? ` on ${clip(rank.host)}` : ""}\n${(run.from_s + bin * report.timeline.bin_s).toPrecision(3)} s: ${percent(row.busy[bin])} of a CPU${row.first === row.last ? "" : " on average"}${rank ? `\nin all ${time(rank.cpu_ns)} of CPU time` : ""}`,
		event.clientX, event.clientY);
}

function pickRank() {
	const row = mapAt()[0], isOf = (name) => rankOrder.has(name) && Math.floor(rankOrder.get(name) / nOfMapRow) === row;
	const own = range(report.threads.length).filter((i) => report.threads[i].rank !== null && isOf(report.threads[i].rank));
	const busiest = own.sort((a, b) => report.threads[b].cpu_ns - report.threads[a].cpu_ns)[0];
	if (busiest !== undefined && hasTimes && busiest < times.n_threads) pickThread(busiest);
}

export function beginRanks() {
	const hasMap = hasRanks && mapRows[0].busy.length > 0; // a run whose times are lost has no steps
	byId("ranks-part").hidden = !hasMap;
	if (!hasMap) return;
	drawMap();
	select("#ranks-map").on("pointermove", showRank).on("mouseleave", hideTip).on("click", pickRank);
}
