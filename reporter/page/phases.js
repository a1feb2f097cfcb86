// SPDX-License-Identifier: BSD-3-Clause
// Draws the phases of the run.
import { attrs, clip, count, data, hideTip, percent, several, showTip, time } from "./base.js";
import { event } from "./d3.js";
import { BINS, changes, chosen, rangeSeconds, run, setRange, times } from "./data.js";
import { plain } from "./table_view.js";

export const hasPhases = Boolean(data.phases) && data.phases.kinds.length > 1;
const kindColor = (kind) => `hsl(${(data.phases.kinds.findIndex((k) => k.kind === kind) * 137 + 30) % 360} 50% 72%)`;
const kindOf = (phase) => data.phases.kinds.find((k) => k.kind === phase.kind);
const placesOf = (kind) => kind.procedures.map((p) => `${clip(p.name)} ${percent(p.self_share)}`).join(", ");

function phaseText(phase) {
	const kind = kindOf(phase), ipc = kind.instructions_per_cycle;
	return [`Phase ${phase.phase}, of kind ${phase.kind}: from ${phase.from_s.toPrecision(4)} to ${phase.to_s.toPrecision(4)} s`,
		`The kind: ${time(1e9 * kind.time_s)} in ${several(kind.n_phases, "phase", "s")}, ${kind.cpus_busy.toFixed(2)} CPUs busy${ipc === null ? "" : `, ${ipc.toFixed(2)} instructions per cycle`}`,
		placesOf(kind), "A click shows this phase in all views; steps of the timeline are its borders."].join("\n");
}

// Draws a box of the given height below y for each phase. x converts seconds to places.
export function drawPhases(svg, x, y, high) {
	const widthOf = (phase) => x(phase.to_s) - x(phase.from_s);
	svg.append("text").call(attrs, { x: 4, y: y + 12 }).text("phases");
	svg.selectAll(".phase").data(data.phases.phases).join("rect").call(attrs, { class: "phase", fill: (phase) => kindColor(phase.kind), x: (phase) => x(phase.from_s), y, width: (phase) => Math.max(.5, widthOf(phase) - .5), height: high })
		.on("click", pickTimes).on("mouseleave", hideTip).on("mousemove", (phase) => showTip(phaseText(phase), event.clientX, event.clientY));
	svg.selectAll(".phase-name").data(data.phases.phases.filter((phase) => widthOf(phase) > 10)).join("text").call(attrs, { class: "phase-name", x: (phase) => x(phase.from_s) + widthOf(phase) / 2, y: y + 11, "text-anchor": "middle" }).text((phase) => phase.kind);
}

// Chooses the range of a phase, or of another time with from_s and to_s, with borders at the nearest steps. The range has
// at least one step.
export function pickTimes(of) {
	const stepAt = (s) => Math.round((s - run.from_s) / times.bin_s), from = Math.min(BINS - 1, stepAt(of.from_s));
	setRange(from, Math.max(from + 1, stepAt(of.to_s)));
	changes.call("part");
}

export const isInRange = (of) => {
	const [from, to] = rangeSeconds();
	return !chosen.range || (of.to_s > from + times.bin_s / 2 && of.from_s < to - times.bin_s / 2);
};
export const phaseRows = () => data.phases.phases.filter(isInRange).map((phase) => ({ ...phase, name: `${phase.phase} ${phase.kind}`, of: kindOf(phase) }));
export const phaseColumns = () => [
	{ title: "phase", key: (r) => r.phase, text: (r) => r.name, isText: true, picks: "Show it in all views", pick: pickTimes },
	{ title: "from", key: (r) => r.from_s, text: (r) => `${r.from_s.toPrecision(4)} s` },
	{ title: "for", key: (r) => r.to_s - r.from_s, text: (r) => time(1e9 * (r.to_s - r.from_s)) },
	{ title: "phases of its kind", key: (r) => r.of.n_phases, text: (r) => count(r.of.n_phases) },
	{ title: "time of its kind", key: (r) => r.of.time_s, text: (r) => time(1e9 * r.of.time_s), bar: (r) => r.of.time_s / run.duration_s },
	{ title: "CPUs busy", key: (r) => r.of.cpus_busy, text: (r) => r.of.cpus_busy.toFixed(2) },
	{ title: "IPC", key: (r) => r.of.instructions_per_cycle, text: (r) => r.of.instructions_per_cycle === null ? "" : r.of.instructions_per_cycle.toFixed(2) },
	plain("mostly in", (r) => placesOf(r.of)),
];
