// SPDX-License-Identifier: BSD-3-Clause
// The page's views. All names come from a trace: they are put in as text, never as HTML.
"use strict";
(() => {
const data = JSON.parse(document.getElementById("evprof-data").textContent);
const report = data.report, run = report.run;
const nodes = data.nodes, symbols = data.symbols, modules = data.modules;
const nNodes = nodes.parent.length;
const LEVEL_PX = 18, LEAST_PX = 1, ROWS_AT_FIRST = 200;

// ---- what is chosen ----

const chosen = { range: null, thread: -1, column: 0, search: "", color: "library", inverted: false, procedure: -1, zoom: null };

// ---- small things ----

function make(tag, attributes, ...children) {
	const element = document.createElement(tag);
	for (const [key, value] of Object.entries(attributes || {})) {
		if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
		else if (value !== undefined && value !== null && value !== false) element.setAttribute(key, value);
	}
	element.append(...children.filter((c) => c !== null && c !== undefined));
	return element;
}

function drawn(tag, attributes, text) {
	const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
	for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
	if (text !== undefined) element.textContent = text;
	return element;
}

const byId = (id) => document.getElementById(id);

function time(ns) {
	if (ns === null || ns === undefined) return "-";
	if (ns === 0) return "0";
	const units = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];
	const [size, unit] = units.find(([size]) => Math.abs(ns) >= size) || units[3];
	const number = ns / size;
	return `${number >= 1000 ? count(number) : number.toPrecision(3)} ${unit}`;
}

function count(value) {
	if (value === null || value === undefined) return "-";
	if (Math.abs(value) >= 1e15) return value.toExponential(3);
	return Math.round(value).toLocaleString("en-US");
}

const several = (n, what, ending) => `${count(n)} ${what}${n === 1 ? "" : ending}`;
const percent = (share) => `${(100 * share).toFixed(1)} %`;
// 95 times of 100, as everywhere in evprof
const points = (error) => run.exact ? "exact" : error === null || error === undefined ? "" : `±${(196 * error).toFixed(1)}`;

function show(value, column) {
	return column.unit === "ns" ? time(value) : count(value);
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
const logged = new Float64Array(nNodes);
for (let i = 0; i < times.node.length; i++) logged[times.node[i]] += times.us[i];

function selfInRange() {
	const values = new Float64Array(nNodes), all = selfOf.get("cpu");
	for (let i = 0; i < times.node.length; i++) {
		const node = times.node[i], bin = times.bin[i];
		if (chosen.range && (bin < chosen.range[0] || bin >= chosen.range[1])) continue;
		if (chosen.thread >= 0 && times.thread[i] !== chosen.thread) continue;
		values[node] += times.us[i] * all[node] / logged[node];
	}
	return values;
}

const isPart = () => chosen.range !== null || chosen.thread >= 0;
const column = () => columns[chosen.column];

function currentSelf() {
	// counts are known by place, not by place and time
	return isPart() && column().name === "cpu" ? selfInRange() : selfOf.get(column().name);
}

function totalsOf(self) {
	const totals = Float64Array.from(self, (v) => Math.max(0, v));
	for (let i = nNodes - 1; i > 0; i--) totals[nodes.parent[i]] += totals[i];
	return totals;
}

// ---- merged trees ----

// A node: { symbol, total, self, children: Map by symbol }. Depth is bounded by the trace's stacks.
const leaf = (symbol) => ({ symbol, total: 0, self: 0, children: new Map() });

function child(parent, symbol) {
	let found = parent.children.get(symbol);
	if (!found) parent.children.set(symbol, found = leaf(symbol));
	return found;
}

function treeFromRoot(self) {
	const totals = totalsOf(self), root = leaf(-1), made = new Array(nNodes);
	made[0] = root;
	root.total = totals[0];
	root.self = self[0];
	for (let i = 1; i < nNodes; i++) {
		if (totals[i] <= 0) continue;
		const at = made[i] = child(made[nodes.parent[i]], nodes.symbol[i]);
		at.total += totals[i];
		at.self += Math.max(0, self[i]);
	}
	return root;
}

// From where the time passed to who called it; of one procedure: its callers.
function treeOfCallers(self, symbol) {
	const root = leaf(symbol === undefined ? -1 : symbol);
	const weights = symbol === undefined ? self : totalsOf(self);
	for (let i = 1; i < nNodes; i++) {
		if (weights[i] <= 0 || (symbol !== undefined && !isOutermost(i, symbol))) continue;
		root.total += weights[i];
		let at = root, up = symbol === undefined ? i : nodes.parent[i];
		for (; up > 0; up = nodes.parent[up]) {
			at = child(at, nodes.symbol[up]);
			at.total += weights[i];
		}
	}
	return root;
}

function isOutermost(node, symbol) {
	if (nodes.symbol[node] !== symbol) return false;
	for (let up = nodes.parent[node]; up > 0; up = nodes.parent[up]) if (nodes.symbol[up] === symbol) return false;
	return true;
}

function treeOfCallees(self, symbol) {
	const root = leaf(symbol), totals = totalsOf(self), made = new Map();
	for (let i = 1; i < nNodes; i++) {
		if (totals[i] <= 0) continue;
		let at = null;
		if (isOutermost(i, symbol)) at = root;
		else if (made.has(nodes.parent[i])) at = child(made.get(nodes.parent[i]), nodes.symbol[i]);
		if (!at) continue;
		made.set(i, at);
		at.total += totals[i];
		at.self += Math.max(0, self[i]);
	}
	return root;
}

// ---- flame graphs ----

const nameOf = (symbol) => symbol < 0 ? "all" : symbols.name[symbol];
const moduleOf = (symbol) => symbol < 0 ? "" : modules[symbols.module[symbol]];

function hue(text) {
	let hash = 7;
	for (let i = 0; i < text.length; i++) hash = (hash * 31 + text.charCodeAt(i)) >>> 0;
	return hash % 360;
}

function colorOf(symbol) {
	if (symbol < 0) return "#c9ccd3";
	const name = chosen.color === "library" ? moduleOf(symbol) : nameOf(symbol);
	return name.startsWith("[kernel]") ? "#e8a39a" : `hsl(${hue(name)} 55% ${68 + symbol % 3 * 3}%)`;
}

const rowOf = new Map(report.procedures.map((p) => [`${p.name}\n${p.module}`, p]));
const rowOfSymbol = (symbol) => symbol < 0 ? undefined : rowOf.get(`${nameOf(symbol)}\n${moduleOf(symbol)}`);

function explain(node, all) {
	const unit = column(), row = rowOfSymbol(node.symbol);
	const lines = [nameOf(node.symbol)];
	if (node.symbol >= 0) lines.push(moduleOf(node.symbol) + (symbols.file[node.symbol] ? `  ${symbols.file[node.symbol]}:${symbols.line[node.symbol]}` : ""));
	lines.push(`${show(node.total, unit)} ${unit.unit === "ns" ? "" : unit.name} (${percent(all ? node.total / all : 0)})` +
		(node.self > 0 ? `, in itself ${show(node.self, unit)} (${percent(node.self / all)})` : ""));
	if (row && !isPart()) {
		lines.push(`the procedure in all: self ${percent(row.self_share)} ${points(row.self_share_error)}, total ${percent(row.total_share)} ${points(row.total_share_error)}, ${count(row.n_samples)} samples`);
		for (const [name, value] of Object.entries(row.events)) lines.push(`${name}: ${valueText(value)}`);
	}
	return lines.join("\n");
}

function valueText(value) {
	if (value.value === null) return "not known";
	if (value.mixed) return `between ${count(value.low)} and ${count(value.high)} (mixed with other procedures')`;
	const error = value.error ? ` ±${count(1.96 * value.error)}` : "";
	return `${value.estimate ? "~" : ""}${count(value.value)}${error}`;
}

const tip = byId("tip");

function showTip(text, x, y) {
	tip.hidden = false;
	tip.textContent = text;
	const box = tip.getBoundingClientRect();
	tip.style.left = `${Math.max(0, Math.min(x + 14, innerWidth - box.width - 8))}px`;
	tip.style.top = `${y + 18 + box.height > innerHeight ? Math.max(0, y - box.height - 10) : y + 18}px`;
}

const hideTip = () => { tip.hidden = true; };

// A view of a tree in a box. Below: children grow downwards.
class Flame {
	constructor(box, label) {
		this.box = box;
		this.zoom = null;
		this.current = null;
		box.tabIndex = 0;
		box.setAttribute("role", "tree");
		box.setAttribute("aria-label", label);
		box.addEventListener("mousemove", (event) => this.hover(event));
		box.addEventListener("mouseleave", hideTip);
		box.addEventListener("click", (event) => this.click(event));
		box.addEventListener("keydown", (event) => this.key(event));
	}
	set(tree) {
		const path = this.zoom ? this.pathOf(this.zoom) : [];
		this.tree = tree;
		this.parents = new Map();
		this.zoom = this.follow(path);
		this.current = null;
		this.draw();
	}
	pathOf(node) {
		const path = [];
		for (; node && node !== this.tree; node = this.parents.get(node)) path.unshift(node.symbol);
		return path;
	}
	follow(path) {
		let at = this.tree;
		for (const symbol of path) {
			const next = at.children.get(symbol);
			if (!next) return null;
			this.parents.set(next, at);
			at = next;
		}
		return at === this.tree ? null : at;
	}
	draw() {
		const width = this.box.clientWidth || 1200, top = this.zoom || this.tree;
		const items = [], above = [];
		for (let up = this.parents.get(top); up; up = this.parents.get(up)) above.unshift(up);
		above.forEach((node, level) => items.push({ node, x: 0, w: width, level, above: true }));
		let deepest = above.length;
		const stack = [[top, 0, above.length]];
		while (stack.length) {
			const [node, x, level] = stack.pop(), w = node.total / top.total * width;
			if (!(w >= LEAST_PX)) continue;
			deepest = Math.max(deepest, level);
			items.push({ node, x, w, level });
			let at = x;
			for (const next of [...node.children.values()].sort((a, b) => b.total - a.total)) {
				this.parents.set(next, node);
				stack.push([next, at, level + 1]);
				at += next.total / top.total * width;
			}
		}
		this.items = items;
		this.box.style.height = `${(deepest + 1) * LEVEL_PX}px`;
		this.box.replaceChildren(...items.map((item) => this.element(item)));
	}
	element(item) {
		const found = chosen.search && nameOf(item.node.symbol).toLowerCase().includes(chosen.search);
		const element = make("div", { role: "treeitem", class: [item.above && "above", found && "found", item.node === this.current && "current"].filter(Boolean).join(" ") });
		element.style.left = `${item.x}px`;
		element.style.top = `${item.level * LEVEL_PX}px`;
		element.style.width = `${Math.max(1, item.w)}px`;
		element.style.background = colorOf(item.node.symbol);
		if (item.w > 25) element.textContent = nameOf(item.node.symbol);
		element.item = item;
		return element;
	}
	hover(event) {
		const item = event.target.item;
		if (item) showTip(explain(item.node, this.tree.total), event.clientX, event.clientY);
		else hideTip();
	}
	click(event) {
		const item = event.target.item;
		if (!item) return;
		this.current = item.node;
		this.zoomTo(item.node);
	}
	zoomTo(node) {
		this.zoom = node === this.tree ? null : node;
		this.draw();
	}
	key(event) {
		const at = this.current || this.zoom || this.tree, up = this.parents.get(at);
		const sorted = (node) => [...node.children.values()].sort((a, b) => b.total - a.total);
		const beside = up ? sorted(up) : [at], place = beside.indexOf(at);
		const moves = {
			ArrowDown: () => sorted(at)[0], ArrowUp: () => up,
			ArrowRight: () => beside[place + 1], ArrowLeft: () => beside[place - 1],
		};
		if (event.key === "Enter") this.zoomTo(at);
		else if (event.key === "Escape" || event.key === "Backspace") this.zoomTo(this.tree);
		else if (moves[event.key]) {
			const next = moves[event.key]();
			if (next) this.current = next;
			if (next && up === undefined) this.parents.get(next) || this.parents.set(next, at);
			this.draw();
			const box = this.box.getBoundingClientRect();
			showTip(explain(this.current || at, this.tree.total), box.left + 20, Math.max(0, box.top));
		} else return;
		event.preventDefault();
	}
}

const flame = new Flame(byId("flame"), "Flame graph: arrow keys move, Enter zooms in, Escape zooms out");
const callers = new Flame(byId("callers"), "Callers");
const callees = new Flame(byId("callees"), "Callees");

function drawFlames() {
	const self = currentSelf();
	flame.set(chosen.inverted ? treeOfCallers(self) : treeFromRoot(self));
	byId("one").hidden = chosen.procedure < 0;
	if (chosen.procedure >= 0) {
		byId("one-name").textContent = nameOf(chosen.procedure);
		callers.set(treeOfCallers(self, chosen.procedure));
		callees.set(treeOfCallees(self, chosen.procedure));
	}
	byId("flame-note").textContent = isPart() && column().name !== "cpu"
		? "Counts are known for the whole run only: the selected part does not change this graph." : "";
}

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

// ---- tables ----

// Of a part of the run: what the log holds, whose samples are periods of CPU time.
function proceduresOfPart() {
	const self = selfInRange(), totals = new Float64Array(symbols.name.length), own = new Float64Array(symbols.name.length);
	const nodeTotals = totalsOf(self), all = nodeTotals[0] || 1;
	for (let i = 1; i < nNodes; i++) {
		own[nodes.symbol[i]] += self[i];
		if (nodeTotals[i] > 0 && isOutermost(i, nodes.symbol[i])) totals[nodes.symbol[i]] += nodeTotals[i];
	}
	const nSamples = Math.max(1, all / (run.period_ms * 1e6));
	const error = (p) => Math.sqrt(Math.max(p * (1 - p), 0) / nSamples);
	const rows = [];
	for (let s = 0; s < symbols.name.length; s++) {
		if (totals[s] <= 0) continue;
		const p = own[s] / all, q = Math.min(1, totals[s] / all);
		rows.push({ name: symbols.name[s], module: modules[symbols.module[s]], file: symbols.file[s], line: symbols.line[s],
			n_samples: null, self_ns: own[s], total_ns: totals[s], self_share: p, total_share: q, self_share_error: error(p), total_share_error: error(q), events: {} });
	}
	return rows;
}

const place = (row) => row.hot_file ? `${row.hot_file}:${row.hot_line}` : row.file ? `${row.file}:${row.line}` : "";
const shareColumns = [
	{ title: "self", key: (r) => r.self_ns, text: (r) => time(r.self_ns) },
	{ title: "self %", key: (r) => r.self_share, text: (r) => percent(r.self_share), bar: (r) => r.self_share },
	{ title: "± self", key: (r) => r.self_share_error, text: (r) => points(r.self_share_error) },
	{ title: "total %", key: (r) => r.total_share, text: (r) => percent(r.total_share), bar: (r) => r.total_share },
	{ title: "± total", key: (r) => r.total_share_error, text: (r) => points(r.total_share_error) },
	{ title: "samples", key: (r) => r.n_samples, text: (r) => count(r.n_samples) },
];
const eventColumns = () => report.events.map((e) => ({
	title: e.name, key: (r) => r.events[e.name] ? r.events[e.name].value : null,
	text: (r) => r.events[e.name] ? (r.events[e.name].mixed ? "mixed" : valueText(r.events[e.name])) : "",
	uncertain: (r) => r.events[e.name] && (r.events[e.name].mixed || r.events[e.name].estimate),
}));
const nameColumn = (title) => ({ title, key: (r) => r.name, text: (r) => r.name, isText: true, pick: true });
const placeColumn = { title: "hottest line", key: place, text: (r) => place(r).split("/").pop(), whole: place, isText: true };
const fileColumn = { title: "library", key: (r) => r.module, text: (r) => (r.module || "").split("/").pop(), whole: (r) => r.module, isText: true };
const cpuColumns = [
	{ title: "CPU time", key: (r) => r.cpu_ns, text: (r) => time(r.cpu_ns), bar: (r) => r.cpu_ns / Math.max(1, run.cpu_ns) },
	{ title: "waiting", key: (r) => r.waiting_ns, text: (r) => time(r.waiting_ns) },
	{ title: "ready without a CPU", key: (r) => r.ready_ns, text: (r) => time(r.ready_ns) },
	{ title: "samples", key: (r) => r.n_samples, text: (r) => count(r.n_samples) },
];
const tables = [
	{ name: "Procedures", rows: () => isPart() ? proceduresOfPart() : report.procedures, columns: () => [nameColumn("procedure"), ...shareColumns, fileColumn, placeColumn, ...(isPart() ? [] : eventColumns())], follows: true },
	{ name: "Lines", rows: () => report.lines, columns: () => [{ title: "line", key: place, text: place, isText: true }, nameColumn("procedure"), ...shareColumns, fileColumn, ...eventColumns()] },
	{ name: "Libraries", rows: () => report.modules, columns: () => [{ ...nameColumn("library"), pick: false }, ...shareColumns, { title: "path", key: (r) => r.module, text: (r) => r.module || "", isText: true }, ...eventColumns()] },
	{ name: "Threads", rows: () => report.threads, columns: () => [{ ...nameColumn("thread"), pick: false }, { title: "tid", key: (r) => r.tid, text: (r) => String(r.tid) }, { title: "program", key: (r) => r.program, text: (r) => r.program, isText: true }, ...cpuColumns, ...eventColumns()] },
	{ name: "Processes", rows: () => report.processes, columns: () => [{ title: "pid", key: (r) => r.pid, text: (r) => String(r.pid) }, { title: "command", key: (r) => r.command, text: (r) => r.command || r.program, isText: true }, { title: "rank", key: (r) => r.rank, text: (r) => r.rank === null ? "" : String(r.rank) }, ...cpuColumns, { title: "ended", key: (r) => r.ended, text: (r) => r.ended || "", isText: true }] },
];
let table = 0, sortBy = null, sortDown = true, showsAll = false;

function drawTable() {
	const shown = tables[table], heads = shown.columns();
	let rows = shown.rows().slice();
	if (chosen.search) rows = rows.filter((r) => heads.some((h) => h.isText && String(h.text(r)).toLowerCase().includes(chosen.search)));
	const by = heads.find((h) => h.title === sortBy) || heads.find((h) => h.title === "self" || h.title === "CPU time");
	const value = (r) => by.key(r);
	rows.sort((a, b) => {
		const x = value(a), y = value(b);
		const order = typeof x === "string" ? x.localeCompare(y) : (x === null || x === undefined ? -Infinity : x) - (y === null || y === undefined ? -Infinity : y);
		return sortDown ? -order || 0 : order || 0;
	});
	const nAll = rows.length;
	if (!showsAll) rows = rows.slice(0, ROWS_AT_FIRST);
	const head = make("tr", {}, ...heads.map((h) => make("th", { class: h.isText ? "text" : "", scope: "col", "aria-sort": h === by ? (sortDown ? "descending" : "ascending") : null },
		make("button", { onclick: () => { sortDown = sortBy === h.title ? !sortDown : !h.isText; sortBy = h.title; drawTable(); } }, h.title + (h === by ? (sortDown ? " ▾" : " ▴") : "")))));
	const body = rows.map((r) => make("tr", {}, ...heads.map((h) => cell(h, r))));
	byId("table").replaceChildren(make("thead", {}, head), make("tbody", {}, ...body));
	byId("more").hidden = nAll <= rows.length;
	byId("more").textContent = `Show all ${count(nAll)} rows`;
	byId("table-note").textContent = isPart() && !shown.follows ? "This table is of the whole run." : `${count(nAll)} rows`;
	byId("tabs").querySelectorAll("button").forEach((b, i) => b.setAttribute("aria-selected", String(i === table)));
}

function cell(head, row) {
	const text = head.text(row), element = make("td", { class: [head.isText && "text", head.bar && "bar", head.uncertain && head.uncertain(row) && "uncertain"].filter(Boolean).join(" ") });
	if (head.bar) element.style.setProperty("--width", `${Math.min(100, 100 * head.bar(row))}%`);
	if (head.pick) element.append(make("button", { class: "link", title: "Show its callers and callees", onclick: () => pickProcedure(row) }, text));
	else element.textContent = text;
	if (head.whole) element.title = head.whole(row) || "";
	return element;
}

const symbolOf = new Map(symbols.name.map((name, i) => [`${name}\n${modules[symbols.module[i]]}`, i]));

function pickProcedure(row) {
	const symbol = symbolOf.get(`${row.name}\n${row.module}`);
	if (symbol === undefined) return;
	chosen.procedure = symbol;
	drawFlames();
	byId("one").scrollIntoView({ block: "nearest" });
}

// ---- texts ----

function drawTexts() {
	const names = report.procedures.slice(0, 200).map((p) => p.name).filter((n) => n.length > 3);
	byId("short").replaceChildren(...report.in_short.map((s) => {
		const text = typeof s === "string" ? s : s.text, name = names.find((n) => text.includes(n)), item = make("li", {}, text, " ");
		if (name) item.append(make("button", { class: "link", onclick: () => pickProcedure(report.procedures.find((p) => p.name === name)) }, `show ${name.slice(0, 60)}`));
		return item;
	}));
	byId("findings").replaceChildren(...report.findings.map((f) => make("li", { class: f.kind === "warning" ? "warning" : "" }, f.text)));
	byId("short-part").hidden = !report.in_short.length;
	byId("findings-part").hidden = !report.findings.length;
	const facts = [["Command", run.command], ["Machine", `${run.host}, ${run.cpu}, ${run.n_cpus} CPUs, Linux ${run.kernel}`],
		["When", `${new Date(1000 * run.started).toISOString().replace("T", " ").slice(0, 19)} UTC, for ${time(1e9 * run.duration_s)}`],
		["Used", `${time(run.cpu_ns)} of CPU time in ${several(run.n_processes, "process", "es")}, ${several(run.n_threads, "thread", "s")}`]];
	byId("facts").replaceChildren(...facts.flatMap(([k, v]) => [make("dt", {}, k), make("dd", {}, String(v))]));
	document.title = `evprof: ${run.command}`.slice(0, 120);
}

function drawMetrics() {
	const models = [...new Set(report.metrics.map((m) => m.model))];
	byId("metrics-part").hidden = !models.length;
	byId("metrics").replaceChildren(...models.flatMap((model) => {
		const rows = report.metrics.filter((m) => m.model === model);
		const body = rows.map((m) => {
			// without a unit it is a share of its base
			const isShare = Boolean(m.base) && !m.unit, bar = make("td", { class: "bar wide" });
			const number = (v) => isShare ? percent(v) : v.toPrecision(4);
			if (isShare && m.value !== null) bar.style.setProperty("--width", `${Math.max(0, Math.min(100, 100 * m.value))}%`);
			return make("tr", {}, make("td", { class: "text" }, m.metric), bar,
				make("td", { class: m.valid === false || m.contradicted ? "uncertain" : "" }, m.value === null ? "not known" : number(m.value)),
				make("td", {}, m.standard_error === null ? "" : isShare ? points(m.standard_error) : run.exact ? "exact" : `±${(1.96 * m.standard_error).toPrecision(2)}`),
				make("td", { class: "text" }, [m.unit, m.base && `of ${m.base}`].filter(Boolean).join(" ")),
				make("td", {}, m.coverage === null ? "" : percent(m.coverage)));
		});
		return [make("h3", {}, model), make("table", {}, make("thead", {}, make("tr", {}, ...["metric", "", "value", "± (95 of 100)", "unit", "measured"].map((t, i) => make("th", { class: i === 0 || i === 4 ? "text" : "" }, t)))), make("tbody", {}, ...body))];
	}));
}

function drawHow() {
	const events = report.events.map((e) => `${e.name}: ${e.total === null ? "not known" : count(e.total)}${e.estimate ? ` (estimated for slices that did not count it, by ${e.estimator})` : ""}${e.error ? ` ±${count(1.96 * e.error)}` : ""}`);
	const facts = [["Source of counts", run.source], ["Clock", `${run.clock}, a tick every ${run.period_ms} ms of a thread's CPU time`], ["Samples", `${count(run.n_samples)}, ${count(run.n_lost)} lost`],
		["Estimator", run.estimator || "none was needed"], ["Missing", run.missing || "nothing"], ["evprof's own time", time(run.evprof_ns)],
		["In the kernel, not at a call that was seen", time(run.hidden_kernel_ns)], ["Folded", data.folded], ...events.map((e) => ["Event", e])];
	byId("how").replaceChildren(...facts.flatMap(([k, v]) => [make("dt", {}, k), make("dd", {}, String(v))]));
}

// ---- all ----

function drawAll() {
	saySelection();
	drawTimeline();
	drawFlames();
	drawTable();
}

function begin() {
	byId("column").replaceChildren(...columns.map((c, i) => make("option", { value: i }, c.name === "cpu" ? "CPU time" : c.name)));
	byId("series").replaceChildren(make("option", { value: "" }, "CPUs busy"), ...Object.keys(report.timeline.events_per_s || {}).map((name) => make("option", { value: name }, name)));
	chosen.column = Math.max(0, columns.findIndex((c) => c.name === "cpu"));
	byId("column").value = String(chosen.column);
	byId("tabs").replaceChildren(...tables.map((t, i) => make("button", { role: "tab", onclick: () => { table = i; showsAll = false; drawTable(); } }, t.name)));
	byId("column").addEventListener("change", (e) => { chosen.column = Number(e.target.value); drawFlames(); });
	byId("series").addEventListener("change", drawTimeline);
	byId("color").addEventListener("change", (e) => { chosen.color = e.target.value; drawFlames(); });
	byId("inverted").addEventListener("click", (e) => {
		chosen.inverted = !chosen.inverted;
		e.target.setAttribute("aria-pressed", String(chosen.inverted));
		flame.zoom = null;
		drawFlames();
	});
	byId("search").addEventListener("input", (e) => { chosen.search = e.target.value.toLowerCase(); drawFlames(); drawTable(); });
	byId("clear").addEventListener("click", () => { chosen.range = null; chosen.thread = -1; drawAll(); });
	byId("close-one").addEventListener("click", () => { chosen.procedure = -1; drawFlames(); });
	byId("more").addEventListener("click", () => { showsAll = true; drawTable(); });
	document.addEventListener("keydown", (e) => {
		if (e.key === "/" && document.activeElement !== byId("search")) { byId("search").focus(); e.preventDefault(); }
	});
	addEventListener("resize", () => { drawTimeline(); drawFlames(); });
	drawTexts();
	drawMetrics();
	drawHow();
	// callgrind's counts are of procedures and calls, not of call paths
	byId("graphs").hidden = nNodes < 2;
	byId("no-graphs").hidden = nNodes >= 2;
	byId("views").hidden = false;
	byId("as-text").open = false;
	drawAll();
	document.documentElement.dataset.ready = "yes";
}

begin();
})();
