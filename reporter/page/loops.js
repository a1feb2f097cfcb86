// SPDX-License-Identifier: BSD-3-Clause
// Makes the rows of loops for the chosen part.
import { data } from "./base.js";
import { nodes, procedureOf, report } from "./data.js";
import { sharesOfPart } from "./part.js";

// The nest of each loop, for example "fem.c:208 > 212". It is taken from the report on the whole run.
const nests = new Map((report.loops || []).filter((r) => r.depth).map((r) => [`${r.name}\n${r.module}\n${r.around}`, r.nest]));
const restNames = new Set((report.loops || []).filter((r) => !r.depth).map((r) => `${r.name}\n${r.module}`));

function loopOf(loop) {
	const { name, module, file, line, depth, parent } = data.loops[loop], around = parent < 0 ? null : data.loops[parent].name;
	return { name, module, hot_file: file, hot_line: line, depth, nest: nests.get(`${name}\n${module}\n${around}`) };
}

function restOf(node) {
	const { name, module } = procedureOf(node), outside = `${name}, outside loops`;
	return { name: restNames.has(`${outside}\n${module}`) ? outside : name, module };
}

// Returns the loops around a call, the innermost first; if there are none, a key for the procedure outside its loops.
function keysAt(node) {
	const keys = [];
	for (let loop = nodes.loop[node]; loop >= 0; loop = data.loops[loop].parent) keys.push(loop);
	return keys.length ? keys : [`rest ${nodes.symbol[node]}`];
}

export const loopsOfPart = () => sharesOfPart(keysAt).map((row) => ({ ...row, ...(typeof row.key === "number" ? loopOf(row.key) : restOf(row.node)) }));
