// SPDX-License-Identifier: BSD-3-Clause
// Shows the table whose tab is chosen. A click on a heading sorts the rows, and a search leaves out some of them.
import { byId, clip, count, make } from "./base.js";
import { ascending, select } from "./d3.js";

const ROWS_AT_FIRST = 200;
// At first a table is sorted by a column of one of these names, or else by its second column, the largest value on top.
const FIRST = ["self", "CPU time", "change"];

const orderBy = (value) => (a, b) => {
	const x = value(a), y = value(b);
	return typeof x === "string" ? x.localeCompare(y) : ascending(x ?? -Infinity, y ?? -Infinity);
};

function cellContent(head, row) {
	if (!head.pick) return head.text(row);
	return make("button", { class: "link", title: head.picks, onclick: () => head.pick(row) }, head.text(row));
}

// list has an object for each table: { name, rows(), columns(rows), isInOrder }. With isInOrder the table is at first
// sorted by its first column. look is { search(), note(table, number of rows), classOf(row) }: the searched text in
// lower case, the note above a table, and the CSS class of a row.
// A column has a title and functions of a row. key(row) is the value to sort by, unless order(row) is given. text(row)
// is the cell's text, and a search looks at it if isText is set. bar(row) is the share of the cell's width that is
// coloured. whole(row) is shown when the mouse is over the cell. pick(row) is called at a click, and picks says what it
// does. uncertain(row) and isMore(row) choose colours.
export class Tables {
	constructor(list, look) {
		Object.assign(this, { list, look, shown: list[0], sortBy: null, isDown: true, showsAll: false });
		select("#tabs").selectAll("button").data(list).join("button").attr("role", "tab").text((table) => table.name)
			.on("click", (table) => this.change({ shown: table, showsAll: false }));
		select("#more").on("click", () => this.change({ showsAll: true }));
	}
	change(what) {
		Object.assign(this, what);
		this.draw();
	}
	draw() {
		const { shown, look } = this, all = shown.rows(), heads = shown.columns(all), search = look.search();
		const rows = all.filter((row) => !search || heads.some((head) => head.isText && String(head.text(row)).toLowerCase().includes(search)));
		const asked = heads.find((head) => head.title === this.sortBy), isDown = asked ? this.isDown : !shown.isInOrder;
		const by = asked || (shown.isInOrder && heads[0]) || heads.find((head) => FIRST.includes(head.title)) || heads[1];
		const order = orderBy(by.order || by.key);
		rows.sort(isDown ? (a, b) => -order(a, b) : order);
		this.drawHeads(heads, by, isDown);
		this.drawRows(this.showsAll ? rows : rows.slice(0, ROWS_AT_FIRST), heads);
		byId("more").hidden = this.showsAll || rows.length <= ROWS_AT_FIRST;
		byId("more").textContent = `Show all ${count(rows.length)} rows`;
		byId("table-note").textContent = look.note(shown, rows.length);
		select("#tabs").selectAll("button").attr("aria-selected", (table) => String(table === shown));
	}
	drawHeads(heads, by, isDown) {
		const cells = select("#table thead tr").selectAll("th").data(heads).join((enter) => enter.append("th").attr("scope", "col").each(function () { this.append(make("button")); }));
		cells.attr("class", (head) => head.isText ? "text" : null).attr("aria-sort", (head) => head === by ? (isDown ? "descending" : "ascending") : null)
			.select("button").text((head) => head.title + (head === by ? (isDown ? " ▾" : " ▴") : ""))
			.on("click", (head) => this.change({ sortBy: head.title, isDown: head === by ? !isDown : !head.isText }));
	}
	drawRows(rows, heads) {
		select("#table tbody").selectAll("tr").data(rows).join("tr").attr("class", this.look.classOf || null)
			.selectAll("td").data((row) => heads.map((head) => ({ head, row }))).join("td")
			.attr("class", ({ head, row }) => [head.isText && "text", head.bar && "bar", head.isMore && head.isMore(row) && "more", head.uncertain && head.uncertain(row) && "uncertain"].filter(Boolean).join(" "))
			.style("--width", ({ head, row }) => head.bar ? `${Math.min(100, 100 * head.bar(row))}%` : null)
			.attr("title", ({ head, row }) => head.whole ? head.whole(row) : null)
			.each(function ({ head, row }) { this.replaceChildren(cellContent(head, row)); });
	}
}

// Returns a column of text. A missing value is an empty cell.
export const plain = (title, of) => ({ title, key: of, text: (row) => clip(String(of(row) ?? "")), isText: true });
