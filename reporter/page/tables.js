// SPDX-License-Identifier: BSD-3-Clause
// Tables, of the whole run or of the chosen part.
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
