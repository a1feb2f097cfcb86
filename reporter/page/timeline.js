// SPDX-License-Identifier: BSD-3-Clause
// The timeline, and the range that is chosen on it.
// ---- timeline ----

const BINS = times.n_bins, ROW_PX = 16, BUSY_PX = 48, LABEL_PX = 190;

function threadBins() {
	const bins = report.threads.map(() => new Float64Array(BINS));
	for (let i = 0; i < times.node.length; i++)
		if (bins[times.thread[i]]) bins[times.thread[i]][times.bin[i]] += times.us[i] / 1e6 / times.bin_s;
	return bins;
}

const busyOf = threadBins();
const THREADS_SHOWN = 16;
const shownThreads = report.threads.map((t, i) => i).sort((a, b) => report.threads[b].cpu_ns - report.threads[a].cpu_ns).slice(0, THREADS_SHOWN);

function drawTimeline() {
	const box = byId("timeline"), width = Math.max(500, box.clientWidth || 1200), graph = width - LABEL_PX;
	const series = byId("series").value;
	const rate = series === "" ? report.timeline.cpus_busy : report.timeline.events_per_s[series];
	const height = BUSY_PX + 6 + shownThreads.length * ROW_PX + 18;
	const svg = drawn("svg", { viewBox: `0 0 ${width} ${height}`, height, role: "img", "aria-label": "Timeline" });
	const most = Math.max(1e-9, ...rate);
	const w = graph / BINS;
	svg.append(drawn("text", { x: 4, y: 14 }, series === "" ? "CPUs busy" : `${series} per second`),
		drawn("text", { x: 4, y: 30 }, `at most ${most >= 100 ? count(most) : most.toPrecision(3)}`));
	rate.forEach((value, i) => {
		const h = Math.max(0, value / most * BUSY_PX);
		svg.append(drawn("rect", { x: LABEL_PX + i * graph / rate.length, y: BUSY_PX - h, width: graph / rate.length + .5, height: h, fill: "var(--mark)" }));
	});
	shownThreads.forEach((index, row) => {
		const thread = report.threads[index], y = BUSY_PX + 6 + row * ROW_PX;
		const label = drawn("text", { x: 4, y: y + 12 }, `${thread.name} ${thread.tid}`.slice(0, 26));
		svg.append(label, drawn("rect", { x: LABEL_PX, y, width: graph, height: ROW_PX - 2, fill: "var(--sheet)" }));
		busyOf[index].forEach((busy, i) => {
			if (busy > .005) svg.append(drawn("rect", { x: LABEL_PX + i * w, y, width: w + .5, height: ROW_PX - 2, fill: "var(--busy)", "fill-opacity": Math.min(1, .15 + .85 * busy) }));
		});
		if (chosen.thread === index) svg.append(drawn("rect", { x: 1, y: y - 1, width: width - 2, height: ROW_PX, fill: "none", stroke: "var(--mark)" }));
	});
	for (let i = 0; i <= 4; i++)
		svg.append(drawn("text", { x: LABEL_PX + graph * i / 4, y: height - 4, "text-anchor": ["start", "middle", "middle", "middle", "end"][i] },
			`${(run.from_s + times.bin_s * BINS * i / 4).toPrecision(3)} s`));
	const pick = make("div", { id: "pick" });
	box.replaceChildren(svg, pick);
	placePick(pick, graph, width);
}

function placePick(pick, graph, width) {
	pick.hidden = !chosen.range;
	if (!chosen.range) return;
	const scale = byId("timeline").clientWidth / width || 1;
	pick.style.left = `${(LABEL_PX + chosen.range[0] * graph / BINS) * scale}px`;
	pick.style.width = `${(chosen.range[1] - chosen.range[0]) * graph / BINS * scale}px`;
}

function binAt(event) {
	const box = byId("timeline").getBoundingClientRect(), width = Math.max(500, box.width), scale = box.width / width;
	return ((event.clientX - box.left) / scale - LABEL_PX) / (width - LABEL_PX) * BINS;
}

function threadAt(event) {
	const row = Math.floor((event.clientY - byId("timeline").getBoundingClientRect().top - BUSY_PX - 6) / ROW_PX);
	return row >= 0 && row < shownThreads.length ? shownThreads[row] : -1;
}

function setRange(a, b) {
	const from = Math.max(0, Math.floor(Math.min(a, b))), to = Math.min(BINS, Math.ceil(Math.max(a, b)));
	chosen.range = to > from && !(from === 0 && to === BINS) ? [from, to] : null;
}

let dragFrom = null;
byId("timeline").addEventListener("pointerdown", (event) => {
	if (binAt(event) < 0) {
		const thread = threadAt(event);
		chosen.thread = thread === chosen.thread ? -1 : thread;
		drawAll();
		return;
	}
	dragFrom = binAt(event);
	byId("timeline").setPointerCapture(event.pointerId);
});
byId("timeline").addEventListener("pointermove", (event) => {
	if (dragFrom === null) return;
	setRange(dragFrom, binAt(event));
	drawTimeline();
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

function saySelection() {
	const parts = [];
	if (chosen.range) parts.push(`from ${(run.from_s + chosen.range[0] * times.bin_s).toPrecision(4)} to ${(run.from_s + chosen.range[1] * times.bin_s).toPrecision(4)} s`);
	if (chosen.thread >= 0) parts.push(`thread ${report.threads[chosen.thread].name} ${report.threads[chosen.thread].tid}`);
	const ns = isPart() ? selfInRange().reduce((a, b) => a + b, 0) : run.sampled_ns;
	byId("selection").textContent = parts.length ? `Shown: ${parts.join(", ")}; ${time(ns)} of CPU time` : `Shown: the whole run; ${time(ns)} of CPU time`;
	byId("clear").hidden = !parts.length;
}
