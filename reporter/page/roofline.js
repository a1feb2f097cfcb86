// SPDX-License-Identifier: BSD-3-Clause
// Operations per second over operations per byte, below the machine's roofs: both axes are logarithms.
// ---- roofline ----

const ROOF = { width: 900, height: 380, left: 64, right: 16, top: 14, bottom: 40 };
// An error below the last digit is not shown.
const bars = (value, error, unit) => value === null ? "-" : `${Number((value / unit).toPrecision(3))}${error > 5e-4 * value ? ` ±${Number((2 * error / unit).toPrecision(2))}` : error === null ? " (error not known)" : ""}`;
const intensityOf = (p) => p.flop_per_byte === null ? "-" : `${p.traffic === "misses" ? "<" : ""}${bars(p.flop_per_byte, p.flop_per_byte_error, 1)}`;
const roofsOf = (kind, fits, key) => (data.roofline.roofs ? data.roofline.roofs.list : []).filter((r) => r.kind === kind && fits(r.name) && r[key] !== null);
const highest = (list, key) => list.reduce((best, r) => !best || r[key] > best[key] ? r : best, null);

// [{memory, peak, scalar}] of one CPU, and of all where the run used more.
function roofSets() {
	const usesMore = data.roofline.points.some((p) => p.cpus > 1.05), isSingle = data.roofline.points.some((p) => p.precision === "single");
	return ["one", "all"].slice(0, usesMore ? 2 : 1).map((key) => ({ key,
		memory: highest(roofsOf("bandwidth", (n) => n.startsWith("MEM"), key), key),
		peaks: [highest(roofsOf("peak", (n) => n.startsWith("DP"), key), key), isSingle && highest(roofsOf("peak", (n) => n.startsWith("SP"), key), key),
			highest(roofsOf("peak", (n) => n.startsWith("DP SCALAR"), key), key)].filter(Boolean) })).filter((s) => s.memory && s.peaks.length);
}

// A simulated run has no rate: it stands on the roof above it, hollow.
const heightOf = (p) => p.flop_per_s === null ? p.roof_flop_per_s : p.flop_per_s;
const isDrawn = (p) => p.flop_per_byte > 0 && heightOf(p) > 0;

function roofScales(points, sets) {
	const xs = points.map((p) => p.flop_per_byte), ys = points.map(heightOf);
	for (const set of sets) {
		xs.push(set.peaks[0][set.key] / set.memory[set.key]);
		ys.push(...set.peaks.map((peak) => peak[set.key]));
	}
	const span = (list) => [Math.floor(Math.log10(Math.min(...list)) - .1), Math.ceil(Math.log10(Math.max(...list)) + .1)];
	const [x0, x1] = span(xs), [y0, y1] = span(ys);
	return { x0, x1, y0, y1, x: (v) => ROOF.left + (Math.log10(v) - x0) / (x1 - x0) * (ROOF.width - ROOF.left - ROOF.right),
		y: (v) => ROOF.height - ROOF.bottom - (Math.log10(v) - y0) / (y1 - y0) * (ROOF.height - ROOF.top - ROOF.bottom) };
}

const decade = (e) => Math.abs(e) < 4 ? String(Number((10 ** e).toPrecision(1))) : `1e${e}`;

function drawRoofAxes(svg, s) {
	for (let e = s.x0; e <= s.x1; e++) {
		svg.append(drawn("line", { x1: s.x(10 ** e), x2: s.x(10 ** e), y1: ROOF.top, y2: ROOF.height - ROOF.bottom, stroke: "var(--line)" }));
		svg.append(drawn("text", { x: s.x(10 ** e), y: ROOF.height - ROOF.bottom + 15, "text-anchor": "middle" }, decade(e)));
	}
	for (let e = s.y0; e <= s.y1; e++) {
		svg.append(drawn("line", { x1: ROOF.left, x2: ROOF.width - ROOF.right, y1: s.y(10 ** e), y2: s.y(10 ** e), stroke: "var(--line)" }));
		svg.append(drawn("text", { x: ROOF.left - 6, y: s.y(10 ** e) + 4, "text-anchor": "end" }, decade(e - 9)));
	}
	svg.append(drawn("text", { x: (ROOF.left + ROOF.width) / 2, y: ROOF.height - 6, "text-anchor": "middle" }, "FLOP/byte"));
	svg.append(drawn("text", { x: ROOF.left + 6, y: ROOF.top + 14 }, "GFLOP/s"));
}

function drawRoofs(svg, s, set) {
	const memory = set.memory[set.key], left = 10 ** s.x0, right = 10 ** s.x1, dash = set.key === "all" ? "6 4" : "none";
	const line = (x1, y1, x2, y2, name) => svg.append(drawn("line", { x1: s.x(x1), y1: s.y(y1), x2: s.x(x2), y2: s.y(y2), stroke: "var(--mark)", "stroke-width": 2, "stroke-dasharray": dash, class: "roof", "data-name": name }));
	const from = Math.max(left, 10 ** s.y0 / memory), ridge = Math.min(right, set.peaks[0][set.key] / memory);
	if (from < ridge) line(from, from * memory, ridge, ridge * memory, set.memory.name);
	for (const peak of set.peaks) {
		const value = peak[set.key];
		line(Math.max(left, Math.min(right, value / memory)), value, right, value, peak.name);
		svg.append(drawn("text", { x: ROOF.width - ROOF.right - 4, y: s.y(value) - 5, "text-anchor": "end", class: "roof-name" }, `${peak.name}, ${set.key === "one" ? "one CPU" : `${data.roofline.roofs.cpus} CPUs`}: ${bars(value, 0, 1e9)}`));
	}
	if (set.key === "one" && from < ridge) {
		const at = Math.sqrt(from * ridge);
		svg.append(drawn("text", { x: s.x(at) + 8, y: s.y(at * memory) + 14, class: "roof-name" }, `memory: ${bars(memory, 0, 1e9)} GB/s`));
	}
}

const roofTip = (p) => [`${clip(p.name)} (${p.kind})`, `${count(p.flop)} operations, ${intensityOf(p)} for each byte`,
	p.flop_per_s === null ? "no operations per second: it ran inside valgrind" : `${bars(p.flop_per_s, p.flop_per_s_error, 1e9)} GFLOP/s`,
	p.roof_flop_per_s === null ? null : `roof (${p.bound || "highest peak"}): ${bars(p.roof_flop_per_s, p.roof_flop_per_s_error, 1e9)} GFLOP/s`,
	p.reached === null ? null : `${bars(p.reached, p.reached_error, .01)} % of that is reached`].filter(Boolean).join("\n");

function drawRoofBars(group, s, p) {
	const clampX = (v) => Math.max(ROOF.left, s.x(Math.max(v, 10 ** s.x0))), clampY = (v) => Math.min(ROOF.height - ROOF.bottom, s.y(Math.max(v, 10 ** s.y0)));
	const bar = (x1, y1, x2, y2) => group.append(drawn("line", { x1, y1, x2, y2, stroke: "var(--ink)", "stroke-width": 1.5, class: "roof-bar" }));
	const x = s.x(p.flop_per_byte), y = s.y(heightOf(p));
	if (p.flop_per_byte_error) bar(clampX(p.flop_per_byte - 2 * p.flop_per_byte_error), y, clampX(p.flop_per_byte + 2 * p.flop_per_byte_error), y);
	if (p.flop_per_s_error) bar(x, clampY(p.flop_per_s - 2 * p.flop_per_s_error), x, clampY(p.flop_per_s + 2 * p.flop_per_s_error));
}

function drawRoofPoint(svg, s, p, most) {
	const fill = p.kind === "range" ? "var(--ink)" : p.kind === "run" ? "var(--mark)" : p.kind === "phase" ? "var(--warn)" : "var(--busy)", text = roofTip(p);
	const group = drawn("g", { tabindex: 0, role: "img", class: "roof-point", "aria-label": text });
	const x = s.x(p.flop_per_byte), y = s.y(heightOf(p)), hollow = p.flop_per_s === null;
	drawRoofBars(group, s, p);
	group.append(drawn("circle", { cx: x, cy: y, r: 4 + 5 * Math.sqrt(p.flop / most), fill: hollow ? "var(--paper)" : fill, stroke: hollow ? fill : "var(--paper)", "stroke-width": hollow ? 2 : 1 }));
	group.addEventListener("mousemove", (e) => showTip(text, e.clientX, e.clientY));
	group.addEventListener("mouseleave", hideTip);
	group.addEventListener("focus", () => { const box = group.getBoundingClientRect(); showTip(text, box.right, box.bottom); });
	group.addEventListener("blur", hideTip);
	svg.append(group);
}

// The largest points have their names beside them, as far as these do not lie on each other.
function nameRoofPoints(svg, s, points) {
	const taken = [];
	for (const p of points.slice(0, 12)) {
		const text = p.name.length > 24 ? `${p.name.slice(0, 24)}…` : p.name, at = s.x(p.flop_per_byte), fits = at + 12 + 7 * text.length < ROOF.width;
		const x = fits ? at + 12 : at - 12, y = s.y(heightOf(p)) + 16;
		if (taken.some((t) => Math.abs(t.y - y) < 14 && Math.abs(t.x - x) < 170)) continue;
		taken.push({ x, y });
		svg.append(drawn("text", { x, y, class: "roof-name", "text-anchor": fits ? "start" : "end" }, text));
	}
}

function roofTable(all) {
	const heads = ["", "", "FLOP", "FLOP/byte", "GFLOP/s", "roof, GFLOP/s", "of", "reached"], isText = (i) => i < 2 || i === 6;
	const row = (p) => [p.kind, clip(p.name), count(p.flop), intensityOf(p), bars(p.flop_per_s, p.flop_per_s_error, 1e9), bars(p.roof_flop_per_s, p.roof_flop_per_s_error, 1e9), `${p.bound || "-"}${p.is_bound_sure ? "" : "?"}`,
		p.reached === null ? "-" : `${bars(p.reached, p.reached_error, .01)} %`];
	return make("table", {}, make("thead", {}, make("tr", {}, ...heads.map((t, i) => make("th", { class: isText(i) ? "text" : "", scope: "col" }, t)))),
		make("tbody", {}, ...all.map((p) => make("tr", {}, ...row(p).map((t, i) => make("td", { class: isText(i) ? "text" : "" }, t))))));
}

function drawRoofline() {
	byId("roofline-part").hidden = !data.roofline;
	if (!data.roofline) return;
	const range = pointOfRange(), all = [...data.roofline.points, ...(range ? [range] : [])], points = all.filter(isDrawn), sets = roofSets();
	const svg = drawn("svg", { viewBox: `0 0 ${ROOF.width} ${ROOF.height}`, role: "group", "aria-label": "Roofline: the table below has its numbers" });
	byId("roofline").hidden = !points.length;
	if (points.length) {
		const s = roofScales(points, sets), most = Math.max(...points.map((p) => p.flop));
		drawRoofAxes(svg, s);
		sets.forEach((set) => drawRoofs(svg, s, set));
		const largest = [...points].sort((a, b) => b.flop - a.flop);
		largest.forEach((p) => drawRoofPoint(svg, s, p, most));
		nameRoofPoints(svg, s, largest);
	}
	byId("roofline").replaceChildren(svg);
	byId("roofline-table").replaceChildren(roofTable(all));
	byId("roofline-short").replaceChildren(...data.roofline.points.map((p) => p.sentence).filter(Boolean).slice(0, 6).map((text) => make("li", {}, clip(text))));
	byId("roofline-notes").replaceChildren(...data.roofline.notes.map((text) => make("li", {}, text)));
	const roofs = data.roofline.roofs;
	byId("roofline-from").textContent = roofs ? `Roofs: ${roofs.source || "evcal roofs"}${roofs.date ? `, ${roofs.date}` : ""}.` : "No roofs are known of this CPU: evcal roofs -o ~/.local/share/evprof/formulas measures them on it.";
}
