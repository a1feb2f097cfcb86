// SPDX-License-Identifier: BSD-3-Clause
// Tables, of the whole run or of the chosen part.
// ---- tables ----

// Standard error of a share p of ns of CPU time; by the rule of three where no sample of the part differs.
function shareError(p, all) {
	const nSamples = Math.max(1, all / (run.period_ms * 1e6));
	return p <= 0 || p >= 1 ? Math.min(3 / nSamples, 1) / 1.96 : Math.sqrt(p * (1 - p) / nSamples);
}

// Shares of a row that has its times.
function finishShares(row, all, allLatency) {
	row.self_share = row.self_ns / all;
	row.total_share = Math.min(1, row.total_ns / all);
	row.self_latency_share = row.self_latency / allLatency;
	row.total_latency_share = Math.min(1, row.total_latency / allLatency);
	row.self_share_error = shareError(row.self_share, all);
	row.total_share_error = shareError(row.total_share, all);
	return row;
}

// Of a part of the run: what the log holds, whose samples are periods of CPU time. By the key of each call, such
// as its procedure's; a total holds what was called, and a call from itself once.
function sharesOfPart(keyOf) {
	const self = part().self, totals = totalsOf(self), rows = new Map(), all = totals[0] || 1;
	const latency = part().latency, latencies = totalsOf(latency), allLatency = latencies[0] || 1;
	for (let i = 1; i < nNodes; i++) {
		const key = totals[i] > 0 ? keyOf(i) : null;
		if (key === null) continue;
		let row = rows.get(key), up = nodes.parent[i];
		if (!row) rows.set(key, row = { node: i, self_ns: 0, total_ns: 0, self_latency: 0, total_latency: 0, n_samples: null, events: {} });
		row.self_ns += self[i];
		row.self_latency += latency[i];
		while (up > 0 && keyOf(up) !== key) up = nodes.parent[up];
		if (up > 0) continue;
		row.total_ns += totals[i];
		row.total_latency += latencies[i];
	}
	return [...rows.values()].map((row) => finishShares(row, all, allLatency));
}

const procedureOf = (node) => ({ name: symbols.name[nodes.symbol[node]], module: modules[symbols.module[nodes.symbol[node]]] });

function proceduresOfPart() {
	const hottest = new Map();
	for (const line of linesOfPart()) {
		const symbol = nodes.symbol[line.node];
		if (!hottest.has(symbol) || hottest.get(symbol).self_ns < line.self_ns) hottest.set(symbol, line);
	}
	return sharesOfPart((i) => nodes.symbol[i]).map((row) => {
		const line = hottest.get(nodes.symbol[row.node]);
		return { ...row, ...procedureOf(row.node), hot_file: line && line.hot_file, hot_line: line && line.hot_line };
	});
}

const linesOfPart = () => sharesOfPart((i) => nodes.file[i] ? `${nodes.symbol[i]} ${nodes.file[i]} ${nodes.line[i]}` : null)
	.map((row) => ({ ...row, ...procedureOf(row.node), hot_file: data.files[nodes.file[row.node]], hot_line: nodes.line[row.node] }))
	.filter((row) => row.self_ns > 0);

const librariesOfPart = () => sharesOfPart((i) => symbols.module[nodes.symbol[i]])
	.map((row) => ({ ...row, module: procedureOf(row.node).module, name: procedureOf(row.node).module.split("/").pop() }));

// Seconds of the run that are in the range.
const rangeSeconds = () => chosen.range ? chosen.range.map((bin) => run.from_s + bin * times.bin_s) : [run.from_s, run.from_s + BINS * times.bin_s];

function threadsOfPart() {
	const [from, to] = rangeSeconds();
	return report.threads.map((thread, i) => {
		const cpu_ns = part().threads[i], alive_s = Math.min(to, thread.start_s + thread.duration_s) - Math.max(from, thread.start_s);
		return { ...thread, cpu_ns, waiting_ns: hasLives ? Math.max(0, 1e9 * alive_s - cpu_ns) : null, ready_ns: null, n_samples: null, events: {}, alive_s, i };
	}).filter((thread) => (chosen.thread < 0 || chosen.thread === thread.i) && (thread.cpu_ns > 0 || thread.alive_s > 0));
}

function processesOfPart() {
	const threads = threadsOfPart();
	return report.processes.map((process) => {
		const own = threads.filter((thread) => thread.pid === process.pid && thread.program === process.program && thread.rank === process.rank);
		const sum = (of) => own.reduce((all, thread) => all + of(thread), 0);
		return { ...process, cpu_ns: sum((t) => t.cpu_ns), waiting_ns: hasLives ? sum((t) => t.waiting_ns) : null, ready_ns: null, n_samples: null, events: {}, n: own.length };
	}).filter((process) => process.n);
}

const activityRows = () => report.activities.map((a) => ({ ...a, n_samples: null, main: a.entries.map((e) => e.name).join(", ") }));

function activitiesOfPart() {
	const self = part().self, sums = new Float64Array(data.activities.length), all = self.reduce((a, b) => a + b, 0) || 1;
	for (let i = 1; i < nNodes; i++) sums[nodes.activity[i]] += self[i];
	return data.activities.map((title, a) => ({ title, ns: sums[a], share: sums[a] / all, share_error: shareError(sums[a] / all, all), main: "" }))
		.filter((row) => row.ns > 0);
}

// What of an event fell into the range, by its rate over time.
function eventOfRange(name) {
	const rate = report.timeline.events_per_s[name], [from, to] = rangeSeconds(), bin_s = report.timeline.bin_s;
	if (!rate) return null;
	return rate.reduce((sum, perSecond, i) => {
		const start = run.from_s + i * bin_s;
		return sum + perSecond * Math.max(0, Math.min(to, start + bin_s) - Math.max(from, start));
	}, 0);
}

function eventRows() {
	return report.events.map((event) => {
		const thread = chosen.thread >= 0 ? report.threads[chosen.thread].events[event.name] : null;
		const row = { ...event, total: event.total, missing: event.total === null };
		if (chosen.thread >= 0 && chosen.range) return { ...row, total: null, error: null };
		if (thread) return { ...row, total: thread.value, error: thread.error, estimate: thread.estimate };
		return chosen.range ? { ...row, total: eventOfRange(event.name), error: null, ofRange: true } : row;
	});
}

const place = (row) => row.hot_file ? `${row.hot_file}:${row.hot_line}` : row.file ? `${row.file}:${row.line}` : "";
const samplesColumn = () => isPart() ? [] : [{ title: "samples", key: (r) => r.n_samples, text: (r) => count(r.n_samples) }];
// The share of the time that passes; with one thread it is the share of CPU time.
const latencyColumns = () => !hasLatency || !report.parallel || report.parallel.mean_threads < 1.05 ? [] : [
	{ title: "latency self %", key: (r) => r.self_latency_share, text: (r) => percent(r.self_latency_share), bar: (r) => r.self_latency_share },
	{ title: "latency total %", key: (r) => r.total_latency_share, text: (r) => percent(r.total_latency_share), bar: (r) => r.total_latency_share },
];
const shareColumns = () => [
	{ title: "self", key: (r) => r.self_ns, text: (r) => time(r.self_ns) },
	{ title: "self %", key: (r) => r.self_share, text: (r) => percent(r.self_share), bar: (r) => r.self_share },
	{ title: "± self", key: (r) => r.self_share_error, text: (r) => points(r.self_share_error) },
	{ title: "total %", key: (r) => r.total_share, text: (r) => percent(r.total_share), bar: (r) => r.total_share },
	{ title: "± total", key: (r) => r.total_share_error, text: (r) => points(r.total_share_error) },
	...latencyColumns(),
	...samplesColumn(),
];
const ratioColumns = () => isPart() ? [] : data.ratios.map((ratio, kind) => ({
	title: ratio.title, key: (r) => r.ratios && Array.isArray(r.ratios[kind]) ? r.ratios[kind][0] : null,
	text: (r) => ratioValue(kind, r), uncertain: (r) => r.ratios && r.ratios[kind] === 0,
}));
// A column of which nothing can be said is left out, and the note above the table tells.
const saysNothing = (rows, e) => rows.every((r) => !r.events[e.name] || r.events[e.name].mixed || r.events[e.name].value === 0 || r.events[e.name].value === null);
const eventsOf = (rows) => isPart() ? [] : report.events.filter((e) => !saysNothing(rows, e));
// Exact zeros of places are not in the page's data.
const eventColumns = (rows) => eventsOf(rows).map((e) => ({
	title: e.name, key: (r) => r.events[e.name] ? r.events[e.name].value : 0,
	text: (r) => r.events[e.name] ? (r.events[e.name].mixed ? "mixed" : valueText(r.events[e.name])) : "0",
	uncertain: (r) => r.events[e.name] && (r.events[e.name].mixed || r.events[e.name].estimate),
}));
const nameColumn = (title) => ({ title, key: (r) => r.name, text: (r) => clip(r.name), whole: (r) => r.name, isText: true, pick: true });
const placeColumn = { title: "hottest line", key: place, text: (r) => place(r).split("/").pop(), whole: place, isText: true };
const fileColumn = { title: "library", key: (r) => r.module, text: (r) => (r.module || "").split("/").pop(), whole: (r) => r.module, isText: true };
const cpuColumns = () => [
	{ title: "CPU time", key: (r) => r.cpu_ns, text: (r) => time(r.cpu_ns), bar: (r) => r.cpu_ns / Math.max(1, run.cpu_ns) },
	{ title: "waiting", key: (r) => r.waiting_ns, text: (r) => time(r.waiting_ns) },
	...(isPart() ? [] : [{ title: "ready without a CPU", key: (r) => r.ready_ns, text: (r) => time(r.ready_ns) }]),
	...samplesColumn(),
];
const plain = (title, of) => ({ title, key: of, text: (r) => { const text = of(r); return text === null || text === undefined ? "" : clip(String(text)); }, isText: true });
const tableList = [
	{ name: "Procedures", rows: () => isPart() ? proceduresOfPart() : report.procedures, columns: (rows) => [nameColumn("procedure"), ...shareColumns(), ...ratioColumns(), fileColumn, placeColumn, ...eventColumns(rows)] },
	{ name: "Lines", rows: () => isPart() ? linesOfPart() : report.lines, columns: (rows) => [{ ...plain("line", place), whole: place }, nameColumn("procedure"), ...shareColumns(), fileColumn, ...eventColumns(rows)] },
	{ name: "Loops", hidden: !(report.loops || []).some((row) => row.depth), rows: () => isPart() ? loopsOfPart() : report.loops, columns: (rows) => [{ ...nameColumn("loop, or the rest of a procedure"), pick: false }, plain("nest", nestOf),
		{ title: "depth", key: (r) => r.depth || 0, text: (r) => r.depth ? String(r.depth) : "" }, ...shareColumns(), fileColumn, ...eventColumns(rows)] },
	{ name: "Libraries", rows: () => isPart() ? librariesOfPart() : report.modules, columns: (rows) => [{ ...nameColumn("library"), pick: false }, ...shareColumns(), plain("path", (r) => r.module), ...eventColumns(rows)] },
	{ name: "Activities", rows: () => isPart() ? activitiesOfPart() : activityRows(), columns: () => [plain("what for", (r) => r.title),
		{ title: "CPU time", key: (r) => r.ns, text: (r) => time(r.ns) }, { title: "%", key: (r) => r.share, text: (r) => percent(r.share), bar: (r) => r.share },
		{ title: "±", key: (r) => r.share_error, text: (r) => points(r.share_error) }, plain("mostly by", (r) => r.main)] },
	{ name: "Threads", rows: () => isPart() ? threadsOfPart() : report.threads, columns: (rows) => [{ ...nameColumn("thread"), pick: false }, { title: "tid", key: (r) => r.tid, text: (r) => String(r.tid) }, plain("program", (r) => r.program), ...cpuColumns(), ...eventColumns(rows)] },
	{ name: "Processes", rows: () => isPart() ? processesOfPart() : report.processes, columns: (rows) => [{ title: "pid", key: (r) => r.pid, text: (r) => String(r.pid) }, plain("command", (r) => r.command || r.program), plain("rank", (r) => r.rank), ...cpuColumns(), plain("ended", (r) => r.ended)] },
	{ name: "Ranks", hidden: !hasRanks, isInOrder: true, whole: noteOfRanks, rows: rankRows, columns: rankColumns },
	{ name: "Events", rows: eventRows, columns: () => [plain("event", (r) => r.name),
		{ title: "count", key: (r) => r.total, text: (r) => r.total === null ? "not known" : `${r.ofRange || r.estimate ? "~" : ""}${count(r.total)}`, uncertain: (r) => r.ofRange || r.estimate },
		{ title: "± (95 of 100)", key: (r) => r.error, text: (r) => r.total === null || r.ofRange ? "" : r.error ? countBar(r.error) : r.estimate ? "" : "exact" },
		{ title: "counted in", key: (r) => r.n_slices_measured, text: (r) => r.n_slices ? `${percent(r.n_slices_measured / r.n_slices)} of the slices` : "" }, plain("else filled by", (r) => r.estimator)] },
	{ name: "Phases", hidden: !hasPhases, isInOrder: true, rows: phaseRows, columns: phaseColumns },
	{ name: "Regions", hidden: !(report.regions || []).length, isInOrder: true, whyOfRun: () => whyOfRun(sums.regions), note: noteOfRegions, rows: regionRows, columns: regionColumns },
	{ name: "Waits", hidden: !(report.waits || []).length, whyOfRun: () => whyOfRun(sums.waits), note: noteOfWaits, rows: () => isPart() && followsWaits() ? waitsOfPart() : report.waits, columns: waitColumns },
];
const tables = tableList.filter((t) => !t.hidden);
let table = 0, sortBy = null, sortDown = true, showsAll = false;

function tableNote(shown, nAll) {
	const rows = isPart() ? [] : shown.rows(), left = rows.length && rows[0].events ? report.events.filter((e) => e.total !== null && saysNothing(rows, e)).map((e) => e.name) : [];
	const notes = [several(nAll, "row", "s")];
	const why = isPart() && shown.whyOfRun ? shown.whyOfRun() : "";
	if (shown.whole && shown.whole()) notes.push(shown.whole());
	if (why) notes.push(`of ${ofAll}: ${why}, so that a range or a thread does not change them`);
	else if (isPart() && shown.note) notes.push(shown.note());
	else if (isPart()) notes.push(`of the chosen part${shown.name === "Events" ? ", by each event's rate over time" : `; counts by place are known of ${ofAll} only`}`);
	if (left.length) notes.push(`no columns for ${left.slice(0, 6).join(", ")}${left.length > 6 ? ` and ${left.length - 6} more` : ""}: zero, or not to be told from those of other places`);
	return notes.join("; ");
}

function drawTable() {
	const shown = tables[table];
	let rows = shown.rows().slice();
	const heads = shown.columns(rows);
	if (chosen.search) rows = rows.filter((r) => heads.some((h) => h.isText && String(h.text(r)).toLowerCase().includes(chosen.search)));
	const chosenHead = heads.find((h) => h.title === sortBy), isDown = chosenHead ? sortDown : !shown.isInOrder;
	const by = chosenHead || (shown.isInOrder && heads[0]) || heads.find((h) => h.title === "self" || h.title === "CPU time") || heads[1];
	const value = (r) => by.key(r);
	rows.sort((a, b) => {
		const x = value(a), y = value(b);
		const order = typeof x === "string" ? x.localeCompare(y) : (x === null || x === undefined ? -Infinity : x) - (y === null || y === undefined ? -Infinity : y);
		return isDown ? -order || 0 : order || 0;
	});
	const nAll = rows.length;
	if (!showsAll) rows = rows.slice(0, ROWS_AT_FIRST);
	const head = make("tr", {}, ...heads.map((h) => make("th", { class: h.isText ? "text" : "", scope: "col", "aria-sort": h === by ? (isDown ? "descending" : "ascending") : null },
		make("button", { onclick: () => { sortDown = h === by ? !isDown : !h.isText; sortBy = h.title; drawTable(); } }, h.title + (h === by ? (isDown ? " ▾" : " ▴") : "")))));
	const body = rows.map((r) => make("tr", {}, ...heads.map((h) => cell(h, r))));
	byId("table").replaceChildren(make("thead", {}, head), make("tbody", {}, ...body));
	byId("more").hidden = nAll <= rows.length;
	byId("more").textContent = `Show all ${count(nAll)} rows`;
	byId("table-note").textContent = tableNote(shown, nAll);
	byId("tabs").querySelectorAll("button").forEach((b, i) => b.setAttribute("aria-selected", String(i === table)));
}

function cell(head, row) {
	const text = head.text(row), element = make("td", { class: [head.isText && "text", head.bar && "bar", head.uncertain && head.uncertain(row) && "uncertain"].filter(Boolean).join(" ") });
	if (head.bar) element.style.setProperty("--width", `${Math.min(100, 100 * head.bar(row))}%`);
	if (head.pick) element.append(make("button", { class: "link", title: head.picks || "Show its callers and callees", onclick: () => (head.onPick || pickProcedure)(row) }, text));
	else element.textContent = text;
	if (head.whole) element.title = head.whole(row) || "";
	return element;
}

const symbolOf = new Map(symbols.name.map((name, i) => [`${name}\n${modules[symbols.module[i]]}`, i]));

function pickProcedure(row) {
	const symbol = symbolOf.get(`${row.name}\n${row.module}`);
	if (symbol === undefined) return;
	chosen.procedure = symbol;
	drawTimeline();
	drawFlames();
	byId("one").scrollIntoView({ block: "nearest" });
}
