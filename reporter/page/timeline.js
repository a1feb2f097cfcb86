// SPDX-License-Identifier: BSD-3-Clause
// The timeline, and the range that is chosen on it.
// ---- timeline ----

const BINS = times.n_bins, ROW_PX = 22, BUSY_PX = 48, LABEL_PX = 190;
const PHASES_PX = hasPhases ? 18 : 0, ROWS_TOP = BUSY_PX + 6 + PHASES_PX;

// How busy each thread was in each bin, with what most, and when it was in the procedure at hand.
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
// Threads that seldom have a CPU would show nothing: the busiest moment fills its row.
const fullHeight = Math.min(1, Math.max(.01, ...binsOf.map((row) => row.busy.reduce((a, b) => Math.max(a, b), 0))));

function inProcedure(thread) {
	const shares = new Float64Array(BINS), inside = new Uint8Array(nNodes);
	for (let i = 1; i < nNodes; i++) inside[i] = inside[nodes.parent[i]] || nodes.symbol[i] === chosen.procedure ? 1 : 0;
	for (let i = 0; i < times.node.length; i++)
		if (times.thread[i] === thread && inside[times.node[i]]) shares[times.bin[i]] += times.us[i] / 1e6 / times.bin_s;
	return shares;
}

// Pieces of a bin, from the bottom: [share of the bin, colour].
const rowColorings = {
	activity: (thread) => (i) => [...binsOf[thread].by].map(([activity, shares]) => [shares[i], activityColors[activity]]),
	busy: (thread) => (i) => [[binsOf[thread].busy[i], "var(--busy)"]],
	procedure: (thread) => {
		const inside = inProcedure(thread);
		return (i) => [[inside[i], "var(--mark)"], [binsOf[thread].busy[i] - inside[i], "var(--rest)"]];
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

// One path of each colour: elements for the pieces took most of the time in which a range is drawn.
function drawPieces(svg, pieces) {
	const shapes = new Map();
	for (const [x, y, w, h, fill] of pieces) {
		if (!shapes.has(fill)) shapes.set(fill, []);
		shapes.get(fill).push(`M${x.toFixed(2)} ${y.toFixed(2)}h${w.toFixed(2)}v${h.toFixed(2)}h${(-w).toFixed(2)}z`);
	}
	svg.append(...[...shapes].map(([fill, parts]) => drawn("path", { d: parts.join(""), fill })));
}

// The pieces of a thread's row: [x, y, width, height, colour].
function piecesOfThread(index, y, graph) {
	const w = graph / BINS, high = ROW_PX - 2, sharesOf = rowColorings[chosen.rows](index), pieces = [];
	for (let i = 0; i < BINS; i++) {
		let bottom = y + high;
		for (const [share, fill] of sharesOf(i)) {
			const h = Math.min(bottom - y, share / fullHeight * high);
			if (h < .3) continue;
			bottom -= h;
			pieces.push([LABEL_PX + i * w, bottom, w + .5, h, fill]);
		}
	}
	return pieces;
}

function drawThread(svg, index, y, graph) {
	const thread = report.threads[index], high = ROW_PX - 2;
	const at = (s) => Math.max(0, Math.min(1, (s - run.from_s) / (times.bin_s * BINS))) * graph;
	svg.append(drawn("rect", { x: LABEL_PX, y, width: graph, height: high, fill: "var(--sheet)" }),
		drawn("rect", { x: LABEL_PX + at(thread.start_s), y, width: Math.max(1, hasLives ? at(thread.start_s + thread.duration_s) - at(thread.start_s) : 0), height: high, fill: "var(--wait)" }));
	drawPieces(svg, piecesOfThread(index, y, graph));
}

const THREADS_SHOWN = 16;
const rankNumber = (i) => { const rank = report.threads[i].rank; return rankOrder.get(rank) ?? Infinity; };
const byRank = (a, b) => rankNumber(a) === rankNumber(b) ? 0 : rankNumber(a) - rankNumber(b);
// Sums do not tell when threads ran: grey rows would say that they waited.
const hasTimes = times.node.length > 0 || !run.n_samples;
const shownThreads = !hasTimes ? [] : report.threads.map((t, i) => i).sort((a, b) => report.threads[b].cpu_ns - report.threads[a].cpu_ns).slice(0, THREADS_SHOWN).sort(byRank);

// What the upper line shows: CPUs, an event, or a metric, whose unknown moments are empty.
function seriesShown() {
	const chosenOne = byId("series").value, text = (v) => v >= 100 ? count(v) : v.toPrecision(3);
	if (chosenOne.startsWith("event ")) return { title: `${chosenOne.slice(6)} per second`, rate: report.timeline.events_per_s[chosenOne.slice(6)], text };
	if (!chosenOne.startsWith("metric ")) return { title: "CPUs busy", rate: report.timeline.cpus_busy, text };
	const metric = data.metrics[Number(chosenOne.slice(7))];
	return { title: metric.name, rate: metric.over_time.map((v) => v === null ? 0 : v), text: (v) => metric.is_share ? percent(v) : text(v) };
}

function drawTimeline() {
	const box = byId("timeline"), width = Math.max(500, box.clientWidth || 1200), graph = width - LABEL_PX;
	const { title, rate, text } = seriesShown();
	drawRowLegend();
	const height = ROWS_TOP + shownThreads.length * ROW_PX + 18;
	const svg = drawn("svg", { viewBox: `0 0 ${width} ${height}`, height, role: "img", "aria-label": "Timeline" });
	const most = Math.max(1e-9, ...rate);
	svg.append(drawn("text", { x: 4, y: 14 }, clip(title).slice(0, 30)),
		drawn("text", { x: 4, y: 30 }, `at most ${text(most)}`));
	const heights = rate.map((value) => Math.max(0, value / most * BUSY_PX)), step = graph / rate.length;
	drawPieces(svg, heights.map((h, i) => [LABEL_PX + i * step, BUSY_PX - h, step + .5, h, "var(--mark)"]));
	if (hasPhases) drawPhases(svg, graph);
	shownThreads.forEach((index, row) => {
		const thread = report.threads[index], y = ROWS_TOP + row * ROW_PX;
		svg.append(drawn("text", { x: 4, y: y + 15, class: "pick" }, threadName(thread).slice(0, 26)));
		drawThread(svg, index, y, graph);
		if (chosen.thread === index) svg.append(drawn("rect", { x: 1, y: y - 1, width: width - 2, height: ROW_PX, fill: "none", stroke: "var(--mark)" }));
	});
	for (let i = 0; i <= 4; i++)
		svg.append(drawn("text", { x: LABEL_PX + graph * i / 4, y: height - 4, "text-anchor": ["start", "middle", "middle", "middle", "end"][i] },
			`${Number((run.from_s + times.bin_s * BINS * i / 4).toPrecision(3))} s`));
	const pick = make("div", { id: "pick" });
	box.replaceChildren(svg, pick);
	byId("more-threads").hidden = shownThreads.length === report.threads.length;
	for (const id of ["threads-by", "row-legend", "drag-hint"]) byId(id).hidden = !hasTimes;
	byId("more-threads").textContent = !hasTimes ? `When each thread ran is not ${run.exact ? "known of a run inside valgrind" : "in a reduced file"}.` : `${several(report.threads.length - shownThreads.length, "more thread", "s")} with less CPU time: in the table Threads.`;
	placePick(pick, graph, width);
}

function placePick(pick, graph, width) {
	pick.hidden = !chosen.range;
	if (!chosen.range) return;
	const scale = byId("timeline").clientWidth / width || 1;
	pick.style.left = `${(LABEL_PX + chosen.range[0] * graph / BINS) * scale}px`;
	pick.style.width = `${(chosen.range[1] - chosen.range[0]) * graph / BINS * scale}px`;
}

// While a range is dragged nothing else changes.
function movePick() {
	const width = Math.max(500, byId("timeline").clientWidth || 1200);
	placePick(byId("pick"), width - LABEL_PX, width);
}

function binAt(event) {
	const box = byId("timeline").getBoundingClientRect(), width = Math.max(500, box.width), scale = box.width / width;
	return ((event.clientX - box.left) / scale - LABEL_PX) / (width - LABEL_PX) * BINS;
}

function threadAt(event) {
	const row = Math.floor((event.clientY - byId("timeline").getBoundingClientRect().top - ROWS_TOP) / ROW_PX);
	return row >= 0 && row < shownThreads.length ? shownThreads[row] : -1;
}

function setRange(a, b) {
	if (!hasTimes) return;
	const from = Math.max(0, Math.floor(Math.min(a, b))), to = Math.min(BINS, Math.ceil(Math.max(a, b)));
	chosen.range = to > from && !(from === 0 && to === BINS) ? [from, to] : null;
}

let dragFrom = null;
byId("timeline").addEventListener("mouseleave", hideTip);
byId("timeline").addEventListener("pointerdown", (event) => {
	if (binAt(event) < 0) {
		const thread = threadAt(event);
		chosen.thread = thread === chosen.thread ? -1 : thread;
		drawAll();
		return;
	}
	if (event.target.phase) {
		pickPhase(event.target.phase);
		return;
	}
	dragFrom = binAt(event);
	byId("timeline").setPointerCapture(event.pointerId);
});
byId("timeline").addEventListener("pointermove", (event) => {
	if (event.target.phase && dragFrom === null) showTip(phaseText(event.target.phase), event.clientX, event.clientY);
	else hideTip();
	if (dragFrom === null) return;
	setRange(dragFrom, binAt(event));
	movePick();
});
byId("timeline").addEventListener("pointerup", (event) => {
	if (dragFrom === null) return;
	if (Math.abs(binAt(event) - dragFrom) < .3) chosen.range = null;
	else setRange(dragFrom, binAt(event));
	dragFrom = null;
	drawAll();
});
byId("timeline").addEventListener("keydown", (event) => {
	const [from, to] = chosen.range || [0, BINS], step = event.shiftKey ? 10 : 1;
	if (event.key === "ArrowRight") setRange(from + step, Math.min(BINS, to + (event.altKey ? 0 : step)));
	else if (event.key === "ArrowLeft") setRange(Math.max(0, from - step), to - (event.altKey ? 0 : step));
	else if (event.key === "ArrowUp") setRange(from + step, to - step);
	else if (event.key === "ArrowDown") setRange(from - step, to + step);
	else if (event.key === "Escape") { chosen.range = null; chosen.thread = -1; }
	else return;
	event.preventDefault();
	drawAll();
});

// The range in steps of the report, of which a step of the page may be several.
const reportBins = () => chosen.range.map((bin) => bin * times.bin_s / report.timeline.bin_s);
const rangeOptions = () => `--from ${(run.from_s + chosen.range[0] * times.bin_s).toPrecision(4)} --to ${(run.from_s + chosen.range[1] * times.bin_s).toPrecision(4)}`;
const rangeText = () => `from ${(run.from_s + chosen.range[0] * times.bin_s).toPrecision(4)} to ${(run.from_s + chosen.range[1] * times.bin_s).toPrecision(4)} s`;

function saySelection() {
	const parts = [];
	if (chosen.range) parts.push(rangeText());
	if (chosen.thread >= 0) parts.push(`thread ${threadName(report.threads[chosen.thread])}`);
	const ns = isPart() ? part().self.reduce((a, b) => a + b, 0) : run.sampled_ns;
	const shown = [run.selection, ...parts].filter(Boolean).join(", ") || "the whole run";
	byId("selection").textContent = `Shown: ${shown}; ${time(ns)} of CPU time`;
	byId("clear").hidden = !parts.length;
}
