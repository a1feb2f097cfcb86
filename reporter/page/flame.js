// SPDX-License-Identifier: BSD-3-Clause
// Merges the call tree for the flame graphs, by callers or by callees, and draws the graphs.
import { byId, clip, count, data, legend, percent, several } from "./base.js";
import { drawCode } from "./code.js";
import { extent, scaleLinear, sum } from "./d3.js";
import { KERNEL_COLOR, activityColors, activityTitle, chosen, isPart, moduleOf, nNodes, nameOf, nodes, ofAll, points, ratioText, ratioValue, rowOfSymbol, show, symbols, valueText } from "./data.js";
import { Flame } from "./flame_view.js";
import { column, totalsOf } from "./part.js";
import { currentSelf, followsRange, noteOfCalls } from "./sums.js";

// ---- merged trees ----

// A node is { symbol, total, self, activity, children: Map by symbol }. It is not deeper than the trace's call stacks.
const leaf = (symbol) => ({ symbol, total: 0, self: 0, activity: 0, children: new Map() });

function child(parent, symbol) {
	let found = parent.children.get(symbol);
	if (!found) parent.children.set(symbol, found = leaf(symbol));
	return found;
}

// Makes the inverse tree, from the procedures where time passed up to their callers; for one procedure, its callers.
function treeOfCallers(self, symbol = -1) {
	const root = leaf(symbol), isOfAll = symbol < 0, weights = isOfAll ? self : totalsOf(self);
	for (let i = 1; i < nNodes; i++) {
		if (weights[i] <= 0 || (!isOfAll && !isOutermost(i, symbol))) continue;
		root.total += weights[i];
		let at = root, up = isOfAll ? i : nodes.parent[i];
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

// Makes the tree of all calls, or of the calls that one procedure made.
function treeOfCalls(self, symbol = -1) {
	const root = leaf(symbol), totals = totalsOf(self), made = new Map();
	for (let i = 0; i < nNodes; i++) {
		if (totals[i] <= 0) continue;
		const above = made.get(nodes.parent[i]), isTop = symbol < 0 ? i === 0 : isOutermost(i, symbol);
		const at = isTop ? root : above && child(above, nodes.symbol[i]);
		if (!at) continue;
		made.set(i, at);
		at.total += totals[i];
		at.self += Math.max(0, self[i]);
		at.activity = nodes.activity[i];
	}
	return root;
}

// ---- flame graphs ----

const NOT_KNOWN_COLOR = "#c9ccd3";
const isKernel = (symbol) => moduleOf(symbol).startsWith("[kernel]");
const nameColor = (name, shade) => name.startsWith("[kernel]") ? KERNEL_COLOR : `hsl(${hue(name)} 55% ${68 + shade}%)`;

function hue(text) {
	let hash = 7;
	for (let i = 0; i < text.length; i++) hash = (hash * 31 + text.charCodeAt(i)) >>> 0;
	return hash % 360;
}

// Hues for each kind of ratio: they cover the range of the procedures' values.
const ratioHues = data.ratios.map((ratio) => scaleLinear().domain(extent(ratio.values.filter(Array.isArray), ([value]) => value)).range([20, 210]));
const hueColor = (hue) => `hsl(${hue} 60% 70%)`;

function ratioColor(kind, symbol) {
	const row = rowOfSymbol(symbol), value = row && row.ratios[kind];
	return Array.isArray(value) ? hueColor(ratioHues[kind](value[0])) : NOT_KNOWN_COLOR;
}

const colorings = {
	library: (node) => nameColor(moduleOf(node.symbol), node.symbol % 3 * 3),
	activity: (node) => activityColors[node.activity],
	procedure: (node) => nameColor(isKernel(node.symbol) ? "[kernel]" : nameOf(node.symbol), 0),
};
data.ratios.forEach((ratio, kind) => { colorings[ratio.title] = (node) => ratioColor(kind, node.symbol); });

const colorOf = (node) => node.symbol < 0 ? NOT_KNOWN_COLOR : colorings[chosen.color](node);

// Says what the colours mean. Those with the most time come first.
function drawFlameLegend(self) {
	const kind = data.ratios.findIndex((ratio) => ratio.title === chosen.color), sums = new Map();
	const keyOf = { library: (i) => moduleOf(nodes.symbol[i]), activity: (i) => nodes.activity[i] }[chosen.color];
	if (kind >= 0) {
		const ends = ratioHues[kind].domain().map((value, i) => [hueColor(ratioHues[kind](value)), (i ? "" : `${chosen.color} `) + ratioText(kind, value)]);
		legend("flame-legend", [...ends, [NOT_KNOWN_COLOR, "not known, or mixed with other procedures'"]]);
		return;
	}
	if (keyOf) for (let i = 1; i < nNodes; i++) if (self[i] > 0) sums.set(keyOf(i), (sums.get(keyOf(i)) || 0) + self[i]);
	legend("flame-legend", [...sums.entries()].sort((a, b) => b[1] - a[1]).slice(0, 8).map(([key]) => chosen.color === "activity"
		? [activityColors[key], activityTitle(key)] : [nameColor(key, 0), key.split("/").pop() || "not known"]));
}

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

const look = { name: (node) => nameOf(node.symbol), color: colorOf, explain, search: () => chosen.search };
export const flame = new Flame(byId("flame"), "Flame graph: arrow keys move, Enter zooms in, Escape zooms out", look);
const callers = new Flame(byId("callers"), "Callers", look);
const callees = new Flame(byId("callees"), "Callees", look);

// Says how large a share is in and below the procedures whose names have the searched text.
function sayFound(self) {
	if (!chosen.search) return "";
	const found = symbols.name.map((name) => name.toLowerCase().includes(chosen.search)), below = new Uint8Array(nNodes);
	for (let i = 1; i < nNodes; i++) below[i] = below[nodes.parent[i]] || found[nodes.symbol[i]] ? 1 : 0;
	const n = found.filter(Boolean).length, all = sum(self, (v) => Math.max(0, v)), inside = sum(self, (v, i) => below[i] * Math.max(0, v));
	return n ? `${several(n, "procedure", "s")} found, with ${percent(all ? inside / all : 0)} in and below ${n === 1 ? "it" : "them"}.` : "No procedure has that in its name.";
}

export function drawFlames() {
	const self = currentSelf();
	flame.set(chosen.inverted ? treeOfCallers(self) : treeOfCalls(self));
	byId("one").hidden = chosen.procedure < 0;
	if (chosen.procedure >= 0) {
		byId("one-name").textContent = clip(nameOf(chosen.procedure));
		callers.set(treeOfCallers(self, chosen.procedure));
		callees.set(treeOfCalls(self, chosen.procedure));
		drawCode();
	}
	drawFlameLegend(self);
	byId("flame-note").textContent = [column().name === "latency" ? "Each moment of CPU time, divided by the threads that ran then: its part of the time that passes." : "",
		isPart() && !followsRange(column())
		? `By place ${column().name === "waits" ? "waits" : "counts"} are known of ${ofAll} only: the selected part does not change this graph.` : column().name === "waits" ? noteOfCalls() : "", sayFound(self)].filter(Boolean).join(" ");
}
