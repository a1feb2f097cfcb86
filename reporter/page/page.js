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
		["In the kernel, not at a call that was seen", time(run.hidden_kernel_ns)], ["Folded", data.folded],
		["Timeline", `${count(times.n_bins)} steps of ${time(1e9 * times.bin_s)}${report.threads.length > times.n_threads ? `; in ranges all threads but the first ${times.n_threads} are one` : ""}`], ...events.map((e) => ["Event", e])];
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
	byId("color").append(...data.ratios.map((ratio) => make("option", { value: ratio.title }, ratio.title)));
	byId("rows").addEventListener("change", (e) => { chosen.rows = e.target.value; drawTimeline(); });
	byId("theme").hidden = false;
	byId("theme").addEventListener("click", () => {
		const isDark = getComputedStyle(document.documentElement).colorScheme === "dark" || (!document.documentElement.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
		document.documentElement.dataset.theme = isDark ? "light" : "dark";
	});
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
