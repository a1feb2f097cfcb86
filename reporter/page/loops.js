// SPDX-License-Identifier: BSD-3-Clause
// Loops of the chosen part.
import { data } from "./base.js";
import { nodes, procedureOf, report } from "./data.js";
import { sharesOfPart } from "./part.js";

// The nest of each loop, "fem.c:208 > 212", as the report has it of the whole run.
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

// The loops around a call, the innermost first, or the rest of its procedure.
function keysAt(node) {
	const keys = [];
	for (let loop = nodes.loop[node]; loop >= 0; loop = data.loops[loop].parent) keys.push(loop);
	return keys.length ? keys : [`rest ${nodes.symbol[node]}`];
}

export const loopsOfPart = () => sharesOfPart(keysAt).map((row) => ({ ...row, ...(typeof row.key === "number" ? loopOf(row.key) : restOf(row.node)) }));
