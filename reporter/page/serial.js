// SPDX-License-Identifier: BSD-3-Clause
// Lists the longest times in which one thread ran alone.
import { percent, time } from "./base.js";
import { points, report } from "./data.js";
import { isInRange, pickTimes } from "./phases.js";
import { plain } from "./table_view.js";

const parts = report.parallel ? report.parallel.serial_parts : [];
export const hasSerialParts = parts.length > 0;
export const noteOfSerialParts = () => "those that lie in the chosen part, as they are of the whole run";
export const serialRows = () => parts.filter(isInRange);
export const serialColumns = () => [
	{ title: "from", key: (r) => r.from_s, text: (r) => `${r.from_s.toPrecision(4)} s`, isText: true, picks: "Show it in all views", pick: pickTimes },
	{ title: "one thread ran", key: (r) => r.alone_s, text: (r) => time(1e9 * r.alone_s) },
	{ title: "of the time in which any ran", key: (r) => r.share, text: (r) => percent(r.share), bar: (r) => r.share },
	plain("in", (r) => r.calls || "many calls"),
	{ title: "% of it", key: (r) => r.calls_share, text: (r) => r.calls ? percent(r.calls_share) : "" },
	{ title: "±", key: (r) => r.calls_error, text: (r) => r.calls ? points(r.calls_error) : "" },
];
