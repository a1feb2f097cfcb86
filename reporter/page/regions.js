// SPDX-License-Identifier: BSD-3-Clause
// Regions that the program has named.
// ---- regions ----

const regionRows = () => isPart() && followsRegions() ? regionsOfPart() : report.regions.map((region, order) => ({ ...region, order }));
const regionColumns = () => [
	{ title: "region", key: (r) => r.order, text: (r) => "\u00a0".repeat(4 * r.depth) + clip(r.name), whole: (r) => r.name, isText: true },
	{ title: "times entered", key: (r) => r.n_entries, text: (r) => about(r) + count(r.n_entries) },
	{ title: "lasted", key: (r) => r.wall_s, text: (r) => about(r) + time(1e9 * r.wall_s) },
	{ title: "CPU time", key: (r) => r.total_ns, text: (r) => time(r.total_ns) },
	{ title: "total %", key: (r) => r.total_share, text: (r) => percent(r.total_share), bar: (r) => r.total_share },
	{ title: "± total", key: (r) => r.total_error, text: (r) => points(r.total_error) },
	{ title: "self %", key: (r) => r.self_share, text: (r) => percent(r.self_share), bar: (r) => r.self_share },
	{ title: "± self", key: (r) => r.self_error, text: (r) => points(r.self_error) },
	{ title: "waiting", key: (r) => r.waiting_s, text: (r) => about(r) + time(1e9 * r.waiting_s) },
	{ title: "± waiting", key: (r) => r.waiting_error_s, text: (r) => r.waiting_error_s === null ? "" : `±${time(1.96e9 * r.waiting_error_s)}` },
];
