// SPDX-License-Identifier: BSD-3-Clause
// Describes the tables of waits and of regions.
import { clip, count, percent, time } from "./base.js";
import { isPart, points, report } from "./data.js";
import { followsRegions, followsWaits, regionsOfPart, waitsOfPart } from "./sums.js";
import { plain } from "./table_view.js";

const holdersOf = (wait) => wait.holders.map((h) => `${h.path || "not known"}${h.waits_for ? `, itself waiting for ${h.waits_for}` : ""} (${time(h.ns)})`).join("; ");
// An estimate is marked: the waits that were noted also stand for others, or only a share of a wait is in the part.
const about = (wait) => wait.is_estimate ? "~" : "";
export const waitRows = () => isPart() && followsWaits() ? waitsOfPart() : report.waits;
export const waitColumns = () => [
	plain("waited for", (r) => r.what ? `${r.kind}: ${r.what}` : r.kind),
	{ title: "time", key: (r) => r.ns, text: (r) => about(r) + time(r.ns) },
	{ title: "%", key: (r) => r.share, text: (r) => percent(r.share), bar: (r) => r.share },
	{ title: "waits", key: (r) => r.n_waits, text: (r) => about(r) + count(r.n_waits) },
	{ title: "longest", key: (r) => r.longest_ns, text: (r) => time(r.longest_ns) },
	{ title: "threads", key: (r) => r.n_threads, text: (r) => count(r.n_threads) },
	plain("in", (r) => r.procedure),
	{ ...plain("call path", (r) => r.path), whole: (r) => r.path },
	...(isPart() && followsWaits() ? [] : [{ ...plain("meanwhile its holder was in", holdersOf), whole: holdersOf }]),
];

export const regionRows = () => isPart() && followsRegions() ? regionsOfPart() : report.regions.map((region, order) => ({ ...region, order }));
export const regionColumns = () => [
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
