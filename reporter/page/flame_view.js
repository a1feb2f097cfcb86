// SPDX-License-Identifier: BSD-3-Clause
// Draws flame graphs of any tree.
import { clip, count, hideTip, showTip } from "./base.js";
import { cumsum, group, hierarchy, max, partition, select, sum } from "./d3.js";

const LEVEL_PX = 18, THIN_PX = 5, LEAST_PX = 1, LEAST_NAMED_PX = 25, LEAST_LEVEL = .08, MOST_PX = 900, BORDERS_PX = 2;

// Calls of a procedure that only calls itself are drawn as one box. Returns the last of these calls, and their number.
function endOfRecursion(call) {
	let n = 1;
	for (; call.children.size === 1; n++) {
		const [only] = call.children.values();
		if (only.symbol !== call.symbol) break;
		call = only;
	}
	return [call, n];
}

const calledBy = (call) => [...endOfRecursion(call)[0].children.values()].sort((a, b) => b.total - a.total);
const widthOf = (box) => box.x1 - box.x0;

// Shows a tree in an element; children are below their parents. A call is { symbol, total, children: Map by symbol }.
// look has functions of a call, name, color and explain, and search(), which returns the searched text in lower case.
// Deep levels that tell little take little room: a call that only calls itself is one box, however deep. A level is
// thin where no box has room for a name, or where its boxes cover less than LEAST_LEVEL of the width.
export class Flame {
	constructor(element, label, look) {
		// path has the calls from the root to the call that fills the width.
		Object.assign(this, { element, look, path: [], current: null });
		element.tabIndex = 0;
		element.setAttribute("role", "tree");
		element.setAttribute("aria-label", label);
		// All boxes share the element's listeners: there can be thousands, and each change draws them anew.
		const seen = (see) => ({ target, clientX, clientY }) => target === element ? hideTip() : see(target.__data__, clientX, clientY);
		element.addEventListener("mouseleave", hideTip);
		element.addEventListener("mousemove", seen((box, x, y) => this.showTip(box, x, y)));
		element.addEventListener("click", seen((box) => { this.current = box.data; this.zoomTo(box); }));
		element.addEventListener("keydown", (event) => this.key(event));
	}
	// Shows another tree. If it has the call that fills the width now, that call stays in place.
	set(tree) {
		const calls = this.path.slice(1).reduce((path, call) => [...path, path[path.length - 1] && endOfRecursion(path[path.length - 1])[0].children.get(call.symbol)], [tree]);
		this.path = calls.includes(undefined) ? [tree] : calls;
		this.current = null;
		this.draw();
	}
	draw() {
		const width = this.element.clientWidth || 1200, [tree] = this.path, zoom = this.path[this.path.length - 1], least = LEAST_PX / width * zoom.total;
		// Calls too narrow to be seen are left out of the layout: an inverse tree can have a million calls.
		const below = (call) => call === zoom || !this.path.includes(call) ? calledBy(call).filter((next) => next.total >= least) : [this.path[this.path.indexOf(call) + 1]];
		const root = hierarchy(tree, below).each((box) => { box.value = Math.min(box.data.total, zoom.total); });
		const boxes = tree.total > 0 ? partition().size([width, 1])(root).descendants() : [];
		const levels = [...group(boxes, (box) => box.depth).values()], isThin = (level) => max(level, widthOf) <= LEAST_NAMED_PX || sum(level, widthOf) < LEAST_LEVEL * width;
		// Tops of all levels, followed by the bottom of the last one.
		const tops = [0, ...cumsum(levels, (level) => isThin(level) ? THIN_PX : LEVEL_PX)], height = tops[levels.length];
		this.boxes = boxes;
		this.element.style.height = `${Math.min(height, MOST_PX) + BORDERS_PX}px`;
		this.element.classList.toggle("deep", height > MOST_PX);
		// A scroll bar has appeared and takes some of the width, so the boxes are laid out again.
		if (height > MOST_PX && this.element.clientWidth && this.element.clientWidth < width) return this.draw();
		this.drawBoxes(boxes, tops);
	}
	drawBoxes(boxes, tops) {
		const search = this.look.search(), name = (box) => this.look.name(box.data), highOf = (box) => tops[box.depth + 1] - tops[box.depth];
		const nameWithTimes = (box) => { const n = endOfRecursion(box.data)[1]; return clip(name(box)) + (n > 1 ? ` ×${count(n)}` : ""); };
		select(this.element).selectAll("div").data(boxes).join("div").attr("role", "treeitem")
			.attr("class", (box) => [box.depth < this.path.length - 1 && "above", search && name(box).toLowerCase().includes(search) && "found", box.data === this.current && "current"].filter(Boolean).join(" "))
			.style("left", (box) => `${box.x0}px`).style("width", (box) => `${widthOf(box)}px`)
			.style("top", (box) => `${tops[box.depth]}px`).style("height", (box) => `${highOf(box)}px`)
			.style("background", (box) => this.look.color(box.data))
			.text((box) => widthOf(box) > LEAST_NAMED_PX && highOf(box) === LEVEL_PX ? nameWithTimes(box) : "");
	}
	showTip(box, x, y) {
		const n = endOfRecursion(box.data)[1], deep = n > 1 ? `\nIt calls itself, and nothing else: ${count(n)} calls deep.` : "";
		showTip(this.look.explain(box.data, this.path[0].total) + deep, x, y);
	}
	zoomTo(box) {
		this.path = box.ancestors().map((above) => above.data).reverse();
		this.draw();
	}
	key(event) {
		const boxOf = (call) => this.boxes.find((box) => box.data === call), at = boxOf(this.current) || boxOf(this.path[this.path.length - 1]);
		if (!at) return;
		const beside = at.parent ? at.parent.children : [at], place = beside.indexOf(at);
		const next = { ArrowDown: at.children && at.children[0], ArrowUp: at.parent, ArrowRight: beside[place + 1], ArrowLeft: beside[place - 1] };
		if (event.key === "Enter") this.zoomTo(at);
		else if (event.key === "Escape" || event.key === "Backspace") this.zoomTo(this.boxes[0]);
		else if (event.key in next) {
			const box = next[event.key] || at, corner = this.element.getBoundingClientRect();
			this.current = box.data;
			this.draw();
			this.element.querySelector(".current").scrollIntoView({ block: "nearest" });
			this.showTip(box, corner.left + 20, Math.max(0, corner.top));
		} else return;
		event.preventDefault();
	}
}
