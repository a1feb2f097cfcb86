// SPDX-License-Identifier: BSD-3-Clause
// The texts, and the beginning of it all.
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
	const facts = [["Command", run.command], ["Machine", `${run.host}, ${run.cpu}, ${several(run.n_cpus, "CPU", "s")}, Linux ${run.kernel}`],
		["When", `${new Date(1000 * run.started).toISOString().replace("T", " ").slice(0, 19)} UTC, for ${time(1e9 * run.duration_s)}`],
		["Used", `${time(run.cpu_ns)} of CPU time in ${several(run.n_processes, "process", "es")}, ${several(run.n_threads, "thread", "s")}${hasRanks ? `, ${several(nRanks, "MPI rank", "s")}` : ""}`]];
	if (run.selection) facts.push(["Shown", run.selection]);
	byId("facts").replaceChildren(...facts.flatMap(([k, v]) => [make("dt", {}, k), make("dd", {}, String(v))]));
	document.title = `evprof: ${run.command}`.slice(0, 120);
}

const metricNumber = (m, v) => m.is_share ? percent(v) : Math.abs(v) >= 1e5 ? count(v) : Number(v.toPrecision(4)).toString();
// twice the standard error, as in evreport metrics
const metricBar = (m) => m.error === null ? "" : m.error === 0 ? "" : m.is_share ? ` ${bar95(200 * m.error, 1)}` : ` ±${(2 * m.error).toPrecision(2)}`;

// The largest loss of each tree, and below it.
function worstOf(metrics) {
	const worst = new Set();
	let from = 0, to = metrics.length, depth = 0;
	for (;;) {
		const level = metrics.slice(from, to).filter((m) => m.depth === depth && m.is_loss && m.is_share && m.value !== null);
		const most = level.reduce((a, b) => a === null || b.value > a.value ? b : a, null);
		if (!most || level.length < 2) return worst;
		worst.add(most);
		from = metrics.indexOf(most) + 1;
		while (to > from && metrics.slice(from, to).some((m) => m.depth <= depth)) to--;
		depth++;
	}
}

// Bars share a scale where they are shares, else that of their model's largest of the same unit.
function scaleOf(metrics, m) {
	return m.is_share ? 1 : Math.max(1e-300, ...metrics.filter((o) => !o.is_share && o.unit === m.unit && o.base === m.base && o.value !== null).map((o) => o.value));
}

function barOf(metrics, m) {
	const svg = drawn("svg", { viewBox: "0 0 200 14", preserveAspectRatio: "none", class: "metric-bar" });
	if (m.value === null) return svg;
	const x = (v) => Math.max(0, Math.min(200, 200 * v / scaleOf(metrics, m)));
	svg.append(drawn("rect", { x: 0, y: 2, width: x(m.value), height: 10, fill: m.is_loss ? "var(--bar)" : "var(--busy)" }));
	if (m.error) svg.append(drawn("rect", { x: x(m.value - 2 * m.error), y: 6, width: Math.max(1, x(m.value + 2 * m.error) - x(m.value - 2 * m.error)), height: 2, fill: "var(--ink)" }));
	return svg;
}

function lineOf(m) {
	const known = (m.over_time || []).filter((v) => v !== null), most = Math.max(...known), svg = drawn("svg", { viewBox: "0 0 120 14", preserveAspectRatio: "none", class: "metric-line" });
	if (known.length < 2) return svg;
	// One path: with an element a step, lines of 100 metrics took a third of the time in which a range is drawn.
	const w = 120 / m.over_time.length, shape = m.over_time.map((v, i) => v > 0 && most > 0 ? `M${(i * w).toFixed(2)} 14v${(-v / most * 14).toFixed(2)}h${(w + .1).toFixed(2)}V14z` : "");
	svg.append(drawn("path", { d: shape.join(""), fill: "var(--mark)" }));
	return svg;
}

function metricRow(metrics, m, isWorst) {
	const name = make("td", { class: "text" });
	name.style.paddingLeft = `${8 + 18 * m.depth}px`;
	name.append(make("span", { class: isWorst ? "worst" : "" }, (isWorst ? "▸ " : "") + m.name));
	const value = m.value === null ? m.lacks || "not known" : (chosen.range ? "~" : "") + metricNumber(m, m.value) + metricBar(m);
	const line = make("button", { class: "link", title: "Show it over time, above", onclick: () => showSeries(m) }, lineOf(m));
	return make("tr", {}, name, make("td", {}, barOf(metrics, m)), make("td", { class: m.is_invalid || m.is_contradicted ? "uncertain" : "" }, value),
		make("td", { class: "text unit" }, m.unit || (m.base ? `of ${m.base}` : "")), make("td", {}, m.coverage === null || m.value === null ? "" : percent(m.coverage)),
		make("td", {}, m.over_time ? line : ""), make("td", { class: "text about" }, [m.about, m.is_contradicted && "A calibration contradicts it.", m.is_invalid && "It cannot be so: its events were measured at different times."].filter(Boolean).join(" ")));
}

function noteOfMetrics(shown) {
	if (!isPart()) return "";
	if (!chosen.range) return "Of all threads: metrics of one are not on the page (evreport metrics --by thread).";
	return `By each event's counts over time${chosen.thread < 0 ? "" : ", of all threads"}.`
		+ (shown.some((m) => m.value !== null && m.error === null) ? ` Some have no error here: the page does not know it of a range. evreport metrics ${rangeOptions()} has it where the estimator tells one.` : "");
}

function drawMetrics() {
	const models = [...new Set(data.metrics.map((m) => m.model))], of = (model) => data.metrics.filter((m) => m.model === model);
	const shown = models.map((model) => chosen.range ? metricsOfRange(model, of(model)) : of(model));
	byId("metrics-part").hidden = !models.length;
	byId("metrics-of").textContent = chosen.range ? `Metrics ${rangeText()}` : run.selection ? `Metrics, ${run.selection}` : "Metrics of the whole run";
	byId("metrics-note").textContent = noteOfMetrics(shown.flat());
	byId("metrics").replaceChildren(...models.flatMap((model, i) => {
		const metrics = shown[i], worst = worstOf(metrics);
		const heads = ["metric", "", "value", "unit", "measured", "over time", "what it is"];
		return [make("h3", {}, metrics[0].title || model), make("div", { class: "wide" }, make("table", { class: "metrics", "data-model": model },
			make("thead", {}, make("tr", {}, ...heads.map((t) => make("th", { class: ["value", "measured"].includes(t) ? "" : "text", scope: "col" }, t)))),
			make("tbody", {}, ...metrics.map((m) => metricRow(metrics, m, worst.has(m))))))];
	}));
}

function showSeries(m) {
	byId("series").value = `metric ${data.metrics.findIndex((o) => o.model === m.model && o.index === m.index)}`;
	drawTimeline();
	byId("timeline").scrollIntoView({ block: "nearest" });
}

function drawHow() {
	const events = report.events.map((e) => `${e.name}: ${e.total === null ? "not known" : count(e.total)}${e.estimate ? ` (estimated for slices that did not count it, by ${e.estimator})` : ""}${e.error ? ` ${countBar(e.error)}` : ""}`);
	const facts = [["Source of counts", run.source], ["Clock", `${run.clock}, a tick every ${run.period_ms} ms of a thread's CPU time`], ["Samples", `${count(run.n_samples)}, ${count(run.n_lost)} lost`],
		["Estimator", run.estimator || "none was needed"], ["Missing", run.missing || "nothing"], ["evprof's own time", time(run.evprof_ns)],
		["In the kernel, not at a call that was seen", time(run.hidden_kernel_ns)], ["Folded", data.folded],
		["Timeline", `${count(times.n_bins)} steps of ${time(1e9 * times.bin_s)}${report.threads.length > times.n_threads ? `; in ranges all threads but the first ${times.n_threads} are one` : ""}`],
		...[["Waits over time", boundsOf(sums.waits)], ["Regions over time", boundsOf(sums.regions)], ["Ranks listed", noteOfRanks()], ["Map of ranks", rankMap.n_of_row > 1 ? `a row is the mean of ${rankMap.n_of_row} neighbours` : ""]].filter((fact) => fact[1]), ...events.map((e) => ["Event", e])];
	byId("how").replaceChildren(...facts.flatMap(([k, v]) => [make("dt", {}, k), make("dd", {}, String(v))]));
}

// ---- all ----

function drawAll() {
	saySelection();
	drawTimeline();
	placeMapPick();
	drawFlames();
	drawTable();
	drawMetrics();
	drawRoofline();
}

function begin() {
	byId("column").replaceChildren(...columns.map((c, i) => make("option", { value: i }, columnTitle(c))));
	byId("series").replaceChildren(make("option", { value: "" }, "CPUs busy"), ...Object.keys(report.timeline.events_per_s || {}).map((name) => make("option", { value: `event ${name}` }, `${name} per second`)),
		...data.metrics.map((m, i) => m.over_time ? make("option", { value: `metric ${i}` }, `${m.name} (${m.model})`) : null).filter(Boolean));
	chosen.column = Math.max(0, columns.findIndex((c) => c.name === "cpu"));
	byId("column").value = String(chosen.column);
	byId("tabs").replaceChildren(...tables.map((t, i) => make("button", { role: "tab", onclick: () => { table = i; showsAll = false; drawTable(); } }, t.name)));
	byId("column").addEventListener("change", (e) => { chosen.column = Number(e.target.value); drawFlames(); });
	byId("series").addEventListener("change", drawTimeline);
	byId("color").append(...data.ratios.map((ratio) => make("option", { value: ratio.title }, ratio.title)));
	byId("rows").addEventListener("change", (e) => { chosen.rows = e.target.value; drawTimeline(); });
	beginTheme();
	byId("color").addEventListener("change", (e) => { chosen.color = e.target.value; drawFlames(); });
	byId("inverted").addEventListener("click", (e) => {
		chosen.inverted = !chosen.inverted;
		e.target.setAttribute("aria-pressed", String(chosen.inverted));
		flame.zoom = null;
		drawFlames();
	});
	byId("search").addEventListener("input", (e) => { chosen.search = e.target.value.toLowerCase(); drawFlames(); drawTable(); });
	byId("clear").addEventListener("click", () => { chosen.range = null; chosen.thread = -1; drawAll(); });
	byId("close-one").addEventListener("click", () => { chosen.procedure = -1; drawTimeline(); drawFlames(); });
	byId("more").addEventListener("click", () => { showsAll = true; drawTable(); });
	document.addEventListener("keydown", (e) => {
		if (e.key === "/" && document.activeElement !== byId("search")) { byId("search").focus(); e.preventDefault(); }
	});
	addEventListener("resize", () => { drawTimeline(); drawFlames(); });
	drawTexts();
	beginRanks();
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
