// SPDX-License-Identifier: BSD-3-Clause
// Phases of the run, and where threads waited.
// ---- phases ----

const hasPhases = Boolean(data.phases) && data.phases.kinds.length > 1;
const kindColor = (kind) => `hsl(${(data.phases.kinds.findIndex((k) => k.kind === kind) * 137 + 30) % 360} 50% 72%)`;
const kindOf = (phase) => data.phases.kinds.find((k) => k.kind === phase.kind);
const placesOf = (kind) => kind.procedures.map((p) => `${clip(p.name)} ${percent(p.self_share)}`).join(", ");

function phaseText(phase) {
	const kind = kindOf(phase), ipc = kind.instructions_per_cycle;
	return [`Phase ${phase.phase}, of kind ${phase.kind}: from ${phase.from_s.toPrecision(4)} to ${phase.to_s.toPrecision(4)} s`,
		`The kind: ${time(1e9 * kind.time_s)} in ${several(kind.n_phases, "phase", "s")}, ${kind.cpus_busy.toFixed(2)} CPUs busy${ipc === null ? "" : `, ${ipc.toFixed(2)} instructions per cycle`}`,
		placesOf(kind), "A click shows this phase in all views; steps of the timeline are its borders."].join("\n");
}

// The share of the timeline that lies before a moment of the run.
const shareBefore = (s) => Math.max(0, Math.min(1, (s - run.from_s) / (times.bin_s * times.n_bins)));

function drawPhases(svg, graph) {
	svg.append(drawn("text", { x: 4, y: BUSY_PX + 17 }, "phases"));
	for (const phase of data.phases.phases) {
		const x = LABEL_PX + shareBefore(phase.from_s) * graph, w = LABEL_PX + shareBefore(phase.to_s) * graph - x;
		const box = drawn("rect", { x, y: BUSY_PX + 5, width: Math.max(.5, w - .5), height: PHASES_PX - 4, fill: kindColor(phase.kind), class: "phase" });
		box.phase = phase;
		svg.append(box);
		if (w > 10) svg.append(drawn("text", { x: x + w / 2, y: BUSY_PX + 16, "text-anchor": "middle", class: "phase-name" }, phase.kind));
	}
}

// Its range in whole steps: at least one, and the nearest borders.
function pickPhase(phase) {
	const from = Math.min(times.n_bins - 1, Math.round(shareBefore(phase.from_s) * times.n_bins));
	setRange(from, Math.max(from + 1, Math.round(shareBefore(phase.to_s) * times.n_bins)));
	drawAll();
}

const inRange = (phase) => {
	const [from, to] = rangeSeconds();
	return !chosen.range || (phase.to_s > from + times.bin_s / 2 && phase.from_s < to - times.bin_s / 2);
};
const phaseRows = () => data.phases.phases.filter(inRange).map((phase) => ({ ...phase, name: `${phase.phase} ${phase.kind}`, of: kindOf(phase) }));
const phaseColumns = () => [
	{ title: "phase", key: (r) => r.phase, text: (r) => r.name, isText: true, pick: true, picks: "Show it in all views", onPick: pickPhase },
	{ title: "from", key: (r) => r.from_s, text: (r) => `${r.from_s.toPrecision(4)} s` },
	{ title: "for", key: (r) => r.to_s - r.from_s, text: (r) => time(1e9 * (r.to_s - r.from_s)) },
	{ title: "phases of its kind", key: (r) => r.of.n_phases, text: (r) => count(r.of.n_phases) },
	{ title: "time of its kind", key: (r) => r.of.time_s, text: (r) => time(1e9 * r.of.time_s), bar: (r) => r.of.time_s / run.duration_s },
	{ title: "CPUs busy", key: (r) => r.of.cpus_busy, text: (r) => r.of.cpus_busy.toFixed(2) },
	{ title: "IPC", key: (r) => r.of.instructions_per_cycle, text: (r) => r.of.instructions_per_cycle === null ? "" : r.of.instructions_per_cycle.toFixed(2) },
	{ ...plain("mostly in", (r) => placesOf(r.of)) },
];

// ---- waits ----

const holdersOf = (wait) => wait.holders.map((h) => `${h.path || "not known"}${h.waits_for ? `, itself waiting for ${h.waits_for}` : ""} (${time(h.ns)})`).join("; ");
// Waits that were chosen stand for others, and of what reaches over the border of a part a share is in it.
const about = (wait) => wait.is_estimate ? "~" : "";
const waitColumns = () => [
	plain("waited for", (r) => r.what ? `${r.kind}: ${r.what}` : r.kind),
	{ title: "time", key: (r) => r.ns, text: (r) => about(r) + time(r.ns) },
	{ title: "%", key: (r) => r.share, text: (r) => percent(r.share), bar: (r) => r.share },
	{ title: "waits", key: (r) => r.n_waits, text: (r) => about(r) + count(r.n_waits) },
	{ title: "longest", key: (r) => r.longest_ns, text: (r) => time(r.longest_ns) },
	{ title: "threads", key: (r) => r.n_threads, text: (r) => count(r.n_threads) },
	plain("in", (r) => r.procedure),
	{ ...plain("call path", (r) => r.path), whole: (r) => r.path },
	...(isPart() && followsWaits() ? [] : [{ ...plain("meanwhile its holder was in", holdersOf), whole: holdersOf }]),
];
