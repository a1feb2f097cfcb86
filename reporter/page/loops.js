// SPDX-License-Identifier: BSD-3-Clause
// Loops of the chosen part.
// ---- loops ----

// "fem.c:208 > 212", as the report has it of the whole run.
function nestOf(row) {
	return row.nest || "";
}

const restNames = new Map((report.loops || []).filter((r) => !r.depth).map((r) => [`${r.name}\n${r.module}`, r]));
const nests = new Map((report.loops || []).filter((r) => r.depth).map((r) => [`${r.name}\n${r.module}\n${r.around}`, r.nest]));

const emptyRow = (rest) => ({ ...rest, self_ns: 0, total_ns: 0, self_latency: 0, total_latency: 0, n_samples: null, events: {} });

function rowOfLoop(loop) {
	const { name, module, file, line, depth, parent } = data.loops[loop], around = parent < 0 ? null : data.loops[parent].name;
	return emptyRow({ name, module, hot_file: file, hot_line: line, depth, nest: nests.get(`${name}\n${module}\n${around}`) });
}

function rowOfRest(node) {
	const { name, module } = procedureOf(node), outside = `${name}, outside loops`;
	return emptyRow({ name: restNames.has(`${outside}\n${module}`) ? outside : name, module });
}

// The loops around a call, or the rest of its procedure.
function keysAt(node) {
	const keys = [];
	for (let loop = nodes.loop[node]; loop >= 0; loop = data.loops[loop].parent) keys.push(`loop ${loop}`);
	return keys.length ? keys : [`rest ${nodes.symbol[node]}`];
}

// Self is of the innermost loop. A total has what is called from a loop, and each call once.
function loopsOfPart() {
	const self = part().self, latency = part().latency, rows = new Map(), entered = new Map();
	const totals = totalsOf(self), latencies = totalsOf(latency), all = totals[0] || 1, allLatency = latencies[0] || 1;
	for (let i = 1; i < nNodes; i++) {
		if (totals[i] <= 0) continue;
		const keys = keysAt(i), above = entered.get(nodes.parent[i]) || new Set();
		entered.set(i, keys.every((k) => above.has(k)) ? above : new Set([...above, ...keys]));
		keys.forEach((key, depth) => {
			if (!rows.has(key)) rows.set(key, key.startsWith("loop") ? rowOfLoop(Number(key.slice(5))) : rowOfRest(i));
			const row = rows.get(key);
			if (depth === 0) { row.self_ns += self[i]; row.self_latency += latency[i]; }
			if (!above.has(key)) { row.total_ns += totals[i]; row.total_latency += latencies[i]; }
		});
	}
	return [...rows.values()].map((row) => finishShares(row, all, allLatency)).filter((row) => row.total_ns > 0);
}
