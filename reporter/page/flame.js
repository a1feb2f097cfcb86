// SPDX-License-Identifier: BSD-3-Clause
// Flame graphs: the call tree merged by what is asked, and drawn.
// ---- merged trees ----

// A node: { symbol, total, self, activity, children: Map by symbol }. Depth is bounded by the trace's stacks.
const leaf = (symbol) => ({ symbol, total: 0, self: 0, activity: 0, children: new Map() });

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
		at.activity = nodes.activity[i];
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
			at.activity = nodes.activity[up];
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
		at.activity = nodes.activity[i];
	}
	return root;
}

// ---- flame graphs ----

const nameOf = (symbol) => symbol < 0 ? "all" : symbols.name[symbol];
const moduleOf = (symbol) => symbol < 0 ? "" : modules[symbols.module[symbol]];

const NOT_KNOWN_COLOR = "#c9ccd3";
const isKernel = (symbol) => moduleOf(symbol).startsWith("[kernel]");
const nameColor = (name, shade) => name.startsWith("[kernel]") ? KERNEL_COLOR : `hsl(${hue(name)} 55% ${68 + shade}%)`;

// Of each kind of ratio the range that the procedures' values have.
const ratioRanges = data.ratios.map((ratio) => {
	const known = ratio.values.filter((v) => Array.isArray(v)).map((v) => v[0]);
	return [Math.min(...known), Math.max(...known)];
});
const ratioText = (kind, value) => data.ratios[kind].is_share ? percent(value) : value.toPrecision(3);

function ratioColor(kind, symbol) {
	const row = rowOfSymbol(symbol), value = row && row.ratios[kind], [least, most] = ratioRanges[kind];
	if (!Array.isArray(value)) return NOT_KNOWN_COLOR;
	return `hsl(${(most > least ? (value[0] - least) / (most - least) : .5) * 190 + 20} 60% 70%)`;
}

const colorings = {
	library: (node) => nameColor(moduleOf(node.symbol), node.symbol % 3 * 3),
	activity: (node) => activityColors[node.activity],
	procedure: (node) => nameColor(isKernel(node.symbol) ? "[kernel]" : nameOf(node.symbol), 0),
};
data.ratios.forEach((ratio, kind) => { colorings[ratio.title] = (node) => ratioColor(kind, node.symbol); });

const colorOf = (node) => node.symbol < 0 ? NOT_KNOWN_COLOR : colorings[chosen.color](node);

// What the colours mean, the most of the time first.
function drawFlameLegend(self) {
	const kind = data.ratios.findIndex((ratio) => ratio.title === chosen.color), sums = new Map();
	const keyOf = { library: (i) => moduleOf(nodes.symbol[i]), activity: (i) => nodes.activity[i] }[chosen.color];
	if (kind >= 0) {
		const [least, most] = ratioRanges[kind];
		legend("flame-legend", [["hsl(20 60% 70%)", `${chosen.color} ${ratioText(kind, least)}`], ["hsl(210 60% 70%)", ratioText(kind, most)],
			[NOT_KNOWN_COLOR, "not known, or mixed with other procedures'"]]);
		return;
	}
	if (keyOf) for (let i = 1; i < nNodes; i++) if (self[i] > 0) sums.set(keyOf(i), (sums.get(keyOf(i)) || 0) + self[i]);
	legend("flame-legend", [...sums.entries()].sort((a, b) => b[1] - a[1]).slice(0, 8).map(([key]) => chosen.color === "activity"
		? [activityColors[key], activityTitle(key)] : [nameColor(key, 0), key.split("/").pop() || "not known"]));
}

report.procedures.forEach((row, i) => { row.ratios = data.ratios.map((ratio) => i < ratio.values.length ? ratio.values[i] : null); });
const rowOf = new Map(report.procedures.map((p) => [`${p.name}\n${p.module}`, p]));
const rowOfSymbol = (symbol) => symbol < 0 ? undefined : rowOf.get(`${nameOf(symbol)}\n${moduleOf(symbol)}`);

function explain(node, all) {
	const unit = column(), row = rowOfSymbol(node.symbol);
	const lines = [clip(nameOf(node.symbol))];
	if (node.symbol >= 0) lines.push(clip(moduleOf(node.symbol) + (symbols.file[node.symbol] ? `  ${symbols.file[node.symbol]}:${symbols.line[node.symbol]}` : "")), activityTitle(node.activity));
	lines.push(`${show(node.total, unit)} ${unit.name === "cpu" ? "" : unit.name} (${percent(all ? node.total / all : 0)})` +
		(node.self > 0 ? `, in itself ${show(node.self, unit)} (${percent(node.self / all)})` : ""));
	if (row && !isPart()) {
		lines.push(`the procedure in all: self ${percent(row.self_share)} ${points(row.self_share_error)}, total ${percent(row.total_share)} ${points(row.total_share_error)}, ${count(row.n_samples)} samples`);
		data.ratios.forEach((ratio, kind) => { if (Array.isArray(row.ratios[kind])) lines.push(`${ratio.title} ${ratioValue(kind, row)}`); });
		for (const [name, value] of Object.entries(row.events)) lines.push(`${name}: ${valueText(value)}`);
	}
	return lines.join("\n");
}

function valueText(value) {
	if (value.value === null) return "not known";
	if (value.mixed) return `between ${count(value.low)} and ${count(value.high)} (mixed with other procedures')`;
	const error = value.error ? ` ${countBar(value.error)}` : "";
	return `${value.estimate ? "~" : ""}${count(value.value)}${error}`;
}

const look = { name: (node) => nameOf(node.symbol), color: colorOf, explain, search: () => chosen.search };
const flame = new Flame(byId("flame"), "Flame graph: arrow keys move, Enter zooms in, Escape zooms out", look);
const callers = new Flame(byId("callers"), "Callers", look);
const callees = new Flame(byId("callees"), "Callees", look);

function ratioValue(kind, row) {
	const value = row.ratios && row.ratios[kind];
	if (!Array.isArray(value)) return value === 0 ? "mixed" : "";
	const bar = value[1] === null || value[1] === 0 ? "" : data.ratios[kind].is_share ? ` ${bar95(100 * value[1], 1)}` : ` ±${value[1].toPrecision(2)}`;
	return ratioText(kind, value[0]) + bar;
}

// How much of it all passed below a procedure of that name.
function sayFound(self) {
	if (!chosen.search) return "";
	const found = symbols.name.map((name) => name.toLowerCase().includes(chosen.search)), below = new Uint8Array(nNodes);
	let all = Math.max(0, self[0]), sum = 0;
	for (let i = 1; i < nNodes; i++) {
		below[i] = below[nodes.parent[i]] || found[nodes.symbol[i]] ? 1 : 0;
		all += Math.max(0, self[i]);
		if (below[i]) sum += Math.max(0, self[i]);
	}
	const n = found.filter(Boolean).length;
	return n ? `${several(n, "procedure", "s")} found, with ${percent(all ? sum / all : 0)} in and below ${n === 1 ? "it" : "them"}.` : "No procedure has that in its name.";
}

function drawFlames() {
	const self = currentSelf();
	flame.set(chosen.inverted ? treeOfCallers(self) : treeFromRoot(self));
	byId("one").hidden = chosen.procedure < 0;
	if (chosen.procedure >= 0) {
		byId("one-name").textContent = clip(nameOf(chosen.procedure));
		callers.set(treeOfCallers(self, chosen.procedure));
		callees.set(treeOfCallees(self, chosen.procedure));
		drawCode();
	}
	drawFlameLegend(self);
	byId("flame-note").textContent = [column().name === "latency" ? "Each moment of CPU time, divided by the threads that ran then: its part of the time that passes." : "",
		isPart() && !followsRange(column())
		? `By place ${column().name === "waits" ? "waits" : "counts"} are known of ${ofAll} only: the selected part does not change this graph.` : column().name === "waits" ? noteOfCalls() : "", sayFound(self)].filter(Boolean).join(" ");
}
