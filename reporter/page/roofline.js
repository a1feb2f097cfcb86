// SPDX-License-Identifier: BSD-3-Clause
// Draws operations per second over operations per byte, below the machine's roofs. Both axes are logarithmic.
import { attrs, byId, clip, count, data, hideTip, make, showTip } from "./base.js";
import { axisBottom, axisLeft, create, event, extent, max, scaleLog } from "./d3.js";
import { pointOfRange } from "./programs.js";

const ROOF = { width: 900, height: 380, left: 64, right: 16, top: 14, bottom: 40 };
const KIND_COLORS = { range: "var(--ink)", run: "var(--mark)", phase: "var(--warn)" };
// An error is left out where it is too small to change the last digit shown.
const bars = (value, error, unit) => value === null ? "-" : `${Number((value / unit).toPrecision(3))}${error > 5e-4 * value ? ` ±${Number((2 * error / unit).toPrecision(2))}` : error === null ? " (error not known)" : ""}`;
const intensityOf = (p) => p.flop_per_byte === null ? "-" : `${p.traffic === "misses" ? "<" : ""}${bars(p.flop_per_byte, p.flop_per_byte_error, 1)}`;

// Returns the highest roof of a kind among those whose names begin with `start`.
function highest(kind, start, key) {
	const roofs = (data.roofline.roofs ? data.roofline.roofs.list : []).filter((r) => r.kind === kind && r.name.startsWith(start) && r[key] !== null);
	return roofs.sort((a, b) => b[key] - a[key])[0];
}

// Returns [{ key, memory, peaks }]: the roofs of one CPU, and also of all CPUs if the run used more than one.
function roofSets() {
	const { points } = data.roofline, peaks = ["DP", ...(points.some((p) => p.precision === "single") ? ["SP"] : []), "DP SCALAR"];
	return ["one", "all"].slice(0, points.some((p) => p.cpus > 1.05) ? 2 : 1)
		.map((key) => ({ key, memory: highest("bandwidth", "MEM", key), peaks: peaks.map((start) => highest("peak", start, key)).filter(Boolean) }))
		.filter((s) => s.memory && s.peaks.length);
}

// A simulated run has no operations per second: its point is hollow and lies on the roof.
const heightOf = (p) => p.flop_per_s === null ? p.roof_flop_per_s : p.flop_per_s;
const isDrawn = (p) => p.flop_per_byte > 0 && heightOf(p) > 0;
const ridgeOf = ({ key, memory, peaks: [peak] }) => peak[key] / memory[key];

// Returns scales that place values. Values outside of a scale are drawn at its border.
function roofScales(points, sets) {
	const scale = (values, places) => { const [least, most] = extent(values); return scaleLog().domain([least * .8, most * 1.25]).nice().range(places).clamp(true); };
	return { x: scale([...points.map((p) => p.flop_per_byte), ...sets.map(ridgeOf)], [ROOF.left, ROOF.width - ROOF.right]),
		y: scale([...points.map(heightOf), ...sets.flatMap((set) => set.peaks.map((peak) => peak[set.key]))], [ROOF.height - ROOF.bottom, ROOF.top]) };
}

const isDecade = (v) => Number.isInteger(Number(Math.log10(v).toFixed(6)));

function drawRoofAxes(svg, { x, y }) {
	const label = (text, at, up, anchor) => svg.append("text").call(attrs, { x: at, y: up, "text-anchor": anchor }).text(text);
	const draw = (axis, scale, unit, size, place) => svg.append("g").attr("transform", `translate(${place})`)
		.call(axis(scale).tickValues(scale.ticks().filter(isDecade)).tickSize(-size).tickPadding(9).tickFormat((v) => String(Number((v / unit).toPrecision(1)))));
	draw(axisBottom, x, 1, ROOF.height - ROOF.top - ROOF.bottom, [0, ROOF.height - ROOF.bottom]);
	draw(axisLeft, y, 1e9, ROOF.width - ROOF.left - ROOF.right, [ROOF.left, 0]);
	label("FLOP/byte", (ROOF.left + ROOF.width) / 2, ROOF.height - 6, "middle");
	label("GFLOP/s", ROOF.left + 6, ROOF.top + 14, "start");
}

function drawRoofs(svg, { x, y }, set) {
	const memory = set.memory[set.key], [left, right] = x.domain(), from = Math.max(left, y.domain()[0] / memory), ridge = Math.min(right, ridgeOf(set));
	const name = (text, at, up, anchor) => svg.append("text").call(attrs, { class: "roof-name", x: at, y: up, "text-anchor": anchor }).text(text);
	const line = (x1, y1, x2, y2, roof) => svg.append("line").call(attrs, { x1: x(x1), y1: y(y1), x2: x(x2), y2: y(y2), class: "roof", "data-name": roof.name, "stroke-dasharray": set.key === "all" ? "6 4" : null });
	if (from < ridge) line(from, from * memory, ridge, ridge * memory, set.memory);
	for (const peak of set.peaks) {
		const value = peak[set.key];
		line(value / memory, value, right, value, peak);
		name(`${peak.name}, ${set.key === "one" ? "one CPU" : `${data.roofline.roofs.cpus} CPUs`}: ${bars(value, 0, 1e9)}`, ROOF.width - ROOF.right - 4, y(value) - 5, "end");
	}
	const middle = Math.sqrt(from * ridge);
	if (set.key === "one" && from < ridge) name(`memory: ${bars(memory, 0, 1e9)} GB/s`, x(middle) + 8, y(middle * memory) + 14, "start");
}

const roofTip = (p) => [`${clip(p.name)} (${p.kind})`, `${count(p.flop)} operations, ${intensityOf(p)} for each byte`,
	p.flop_per_s === null ? "no operations per second: it ran inside valgrind" : `${bars(p.flop_per_s, p.flop_per_s_error, 1e9)} GFLOP/s`,
	p.roof_flop_per_s === null ? null : `roof (${p.bound || "highest peak"}): ${bars(p.roof_flop_per_s, p.roof_flop_per_s_error, 1e9)} GFLOP/s`,
	p.reached === null ? null : `${bars(p.reached, p.reached_error, .01)} % of that is reached`].filter(Boolean).join("\n");

// A logarithmic scale has no place for values of zero or less: they are placed at its lower end.
const placeOrEnd = (scale, value) => scale(Math.max(value, scale.domain()[0]));

function drawRoofPoints(svg, { x, y }, points) {
	const most = max(points, (p) => p.flop), color = (p) => KIND_COLORS[p.kind] || "var(--busy)", isHollow = (p) => p.flop_per_s === null;
	const ends = (scale, value, error) => [value - 2 * error, value + 2 * error].map((v) => placeOrEnd(scale, v));
	const groups = svg.selectAll(".roof-point").data(points).join("g").call(attrs, { class: "roof-point", tabindex: 0, role: "img", "aria-label": roofTip })
		.on("mousemove", (p) => showTip(roofTip(p), event.clientX, event.clientY)).on("mouseleave", hideTip).on("blur", hideTip)
		.on("focus", function (p) { const box = this.getBoundingClientRect(); showTip(roofTip(p), box.right, box.bottom); });
	const bar = (of, path) => groups.filter(of).append("path").call(attrs, { class: "roof-bar", d: path });
	bar((p) => p.flop_per_byte_error, (p) => { const [from, to] = ends(x, p.flop_per_byte, p.flop_per_byte_error); return `M${from} ${y(heightOf(p))}H${to}`; });
	bar((p) => p.flop_per_s_error, (p) => { const [from, to] = ends(y, p.flop_per_s, p.flop_per_s_error); return `M${x(p.flop_per_byte)} ${from}V${to}`; });
	groups.append("circle").call(attrs, { cx: (p) => x(p.flop_per_byte), cy: (p) => y(heightOf(p)), r: (p) => 4 + 5 * Math.sqrt(p.flop / most), fill: (p) => isHollow(p) ? "var(--paper)" : color(p), stroke: (p) => isHollow(p) ? color(p) : "var(--paper)", "stroke-width": (p) => isHollow(p) ? 2 : 1 });
}

// Writes the names of the largest points beside them, but no name that would overlap another one.
function nameRoofPoints(svg, scales, points) {
	const taken = [];
	for (const p of points.slice(0, 12)) {
		const text = p.name.length > 24 ? `${p.name.slice(0, 24)}…` : p.name, at = scales.x(p.flop_per_byte), fits = at + 12 + 7 * text.length < ROOF.width;
		const x = fits ? at + 12 : at - 12, y = scales.y(heightOf(p)) + 16;
		if (taken.some((t) => Math.abs(t.y - y) < 14 && Math.abs(t.x - x) < 170)) continue;
		taken.push({ x, y });
		svg.append("text").call(attrs, { class: "roof-name", x, y, "text-anchor": fits ? "start" : "end" }).text(text);
	}
}

function roofTable(all) {
	const heads = ["", "", "FLOP", "FLOP/byte", "GFLOP/s", "roof, GFLOP/s", "of", "reached"], isText = (i) => i < 2 || i === 6;
	const row = (p) => [p.kind, clip(p.name), count(p.flop), intensityOf(p), bars(p.flop_per_s, p.flop_per_s_error, 1e9), bars(p.roof_flop_per_s, p.roof_flop_per_s_error, 1e9), `${p.bound || "-"}${p.is_bound_sure ? "" : "?"}`,
		p.reached === null ? "-" : `${bars(p.reached, p.reached_error, .01)} %`];
	return make("table", {}, make("thead", {}, make("tr", {}, ...heads.map((t, i) => make("th", { class: isText(i) ? "text" : "", scope: "col" }, t)))),
		make("tbody", {}, ...all.map((p) => make("tr", {}, ...row(p).map((t, i) => make("td", { class: isText(i) ? "text" : "" }, t))))));
}

export function drawRoofline() {
	byId("roofline-part").hidden = !data.roofline;
	if (!data.roofline) return;
	const range = pointOfRange(), all = [...data.roofline.points, ...(range ? [range] : [])], points = all.filter(isDrawn).sort((a, b) => b.flop - a.flop), sets = roofSets();
	const svg = create("svg:svg").call(attrs, { viewBox: `0 0 ${ROOF.width} ${ROOF.height}`, role: "group", "aria-label": "Roofline: the table below has its numbers" });
	byId("roofline").hidden = !points.length;
	if (points.length) {
		const scales = roofScales(points, sets);
		drawRoofAxes(svg, scales);
		sets.forEach((set) => drawRoofs(svg, scales, set));
		drawRoofPoints(svg, scales, points);
		nameRoofPoints(svg, scales, points);
	}
	byId("roofline").replaceChildren(svg.node());
	byId("roofline-table").replaceChildren(roofTable(all));
	byId("roofline-short").replaceChildren(...data.roofline.points.map((p) => p.sentence).filter(Boolean).slice(0, 6).map((text) => make("li", {}, clip(text))));
	byId("roofline-notes").replaceChildren(...data.roofline.notes.map((text) => make("li", {}, text)));
	const roofs = data.roofline.roofs;
	byId("roofline-from").textContent = roofs ? `Roofs: ${roofs.source || "evcal roofs"}${roofs.date ? `, ${roofs.date}` : ""}.` : "No roofs are known of this CPU: evcal roofs -o ~/.local/share/evprof/formulas measures them on it.";
}
