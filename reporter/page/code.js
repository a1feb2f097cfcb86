// SPDX-License-Identifier: BSD-3-Clause
// Draws source lines and instructions of the chosen procedure.
import { byId, clip, data, make, percent } from "./base.js";
import { sum } from "./d3.js";
import { chosen, isPart, moduleOf, nNodes, nameOf, nodes, ofAll, report, rowOfSymbol } from "./data.js";
import { part } from "./part.js";

const codeOf = (symbol) => (data.code || []).find((c) => c.name === nameOf(symbol) && c.module === moduleOf(symbol));

// Returns the CPU time of the chosen part for each line of the procedure and of the procedures inlined into it.
function linesOfProcedure(symbol) {
	const self = part().self, inside = new Uint8Array(nNodes), sums = new Map();
	for (let i = 1; i < nNodes; i++) {
		const isInlined = report.procedures.length && rowOfSymbol(nodes.symbol[i])?.inlined;
		inside[i] = nodes.symbol[i] === symbol || (isInlined && inside[nodes.parent[i]]) ? 1 : 0;
		if (!inside[i] || !nodes.file[i]) continue;
		const key = `${nameOf(nodes.symbol[i])}\n${data.files[nodes.file[i]]}\n${nodes.line[i]}`;
		sums.set(key, (sums.get(key) || 0) + self[i]);
	}
	return sums;
}

function codeRow(cells, ns, all) {
	const share = make("td", { class: "bar" }, ns > 0 ? percent(ns / all) : "");
	share.style.setProperty("--width", `${100 * ns / all}%`);
	return make("tr", {}, share, ...cells.map((text) => make("td", {}, text)));
}

const fileHead = (text) => make("tr", {}, make("th", { class: "file", colspan: 3 }, clip(text)));

function lineRows(code, all) {
	const sums = isPart() ? linesOfProcedure(chosen.procedure) : null;
	return code.files.filter((f) => f.lines.length).flatMap((file) => {
		let last = null;
		return [fileHead(`${file.procedure}: ${file.file}`), ...file.lines.flatMap(([line, self, text]) => {
			const ns = sums ? sums.get(`${file.procedure}\n${file.file}\n${line}`) || 0 : self, gap = last !== null && line > last + 1;
			last = line;
			return [...(gap ? [codeRow(["", "…"], 0, all)] : []), codeRow([String(line), text === null ? "(the file is not here)" : text], ns, all)];
		})];
	});
}

export function drawCode() {
	const code = codeOf(chosen.procedure);
	byId("code-part").hidden = false;
	byId("code-note").textContent = !data.code ? "The page was made without source and instructions (--no-source)."
		: !data.code.length ? "No file of a procedure with much time is on the machine that made the page: evreport --sysroot FOLDER tells where they are."
			: !code ? `Source and instructions are on the page of the ${data.code.length} procedures with the most time: evreport annotate shows those of any.`
				: `Shares are of the procedure's own time; lines without time, but for some around, are left out.${isPart() ? ` Lines are of the chosen part; instructions are known of ${ofAll} only.` : ""}`;
	const all = code ? (isPart() ? sum(linesOfProcedure(chosen.procedure).values()) : code.self_ns) || 1 : 1;
	byId("code-lines").replaceChildren(...(code ? lineRows(code, all) : []));
	byId("code-instructions").replaceChildren(...(code ? code.instructions.map(([address, ns, text, line]) => codeRow([line ? `${address} :${line}` : address, text], ns, code.self_ns || 1)) : []));
	document.querySelectorAll(".code .scroll").forEach((box) => { box.hidden = !box.querySelector("tr"); });
}
