// SPDX-License-Identifier: BSD-3-Clause
// Flame graphs of any tree.
const LEVEL_PX = 18, THIN_PX = 5, LEAST_PX = 1, LEAST_NAMED_PX = 25, LEAST_LEVEL = .08, MOST_PX = 900, BORDERS_PX = 2;

const childrenOf = (node) => [...node.children.values()].sort((a, b) => b.total - a.total);

// The last of the calls that are drawn as one, and how many these are.
function endOfRecursion(node) {
	let n = 1;
	for (; node.children.size === 1; n++) {
		const [only] = node.children.values();
		if (only.symbol !== node.symbol) break;
		node = only;
	}
	return [node, n];
}

// A view of a tree in a box, whose children grow downwards. A node: { symbol, total, children: Map by symbol }.
// look: name, color and explain of a node, and search(), in lower case.
// What is deep and tells little takes little room: a call that calls nothing but itself is one box, however
// often, and a level is thin where no box has room for a name or boxes take less than LEAST_LEVEL of the width.
class Flame {
	constructor(box, label, look) {
		this.box = box;
		this.look = look;
		this.zoom = null;
		this.current = null;
		box.tabIndex = 0;
		box.setAttribute("role", "tree");
		box.setAttribute("aria-label", label);
		box.addEventListener("mousemove", (event) => this.hover(event));
		box.addEventListener("mouseleave", hideTip);
		box.addEventListener("click", (event) => this.click(event));
		box.addEventListener("keydown", (event) => this.key(event));
	}
	set(tree) {
		const path = this.zoom ? this.pathOf(this.zoom) : [];
		this.tree = tree;
		this.parents = new Map();
		this.zoom = this.follow(path);
		this.current = null;
		this.draw();
	}
	pathOf(node) {
		const path = [];
		for (; node && node !== this.tree; node = this.parents.get(node)) path.unshift(node.symbol);
		return path;
	}
	follow(path) {
		let at = this.tree;
		for (const symbol of path) {
			const next = endOfRecursion(at)[0].children.get(symbol);
			if (!next) return null;
			this.parents.set(next, at);
			at = next;
		}
		return at === this.tree ? null : at;
	}
	draw() {
		const width = this.box.clientWidth || 1200, top = this.zoom || this.tree;
		const items = [], above = [];
		for (let up = this.parents.get(top); up; up = this.parents.get(up)) above.unshift(up);
		above.forEach((node, level) => items.push({ node, x: 0, w: width, level, n: endOfRecursion(node)[1], above: true }));
		const stack = [[top, 0, above.length]];
		while (stack.length) {
			const [node, x, level] = stack.pop(), w = node.total / top.total * width;
			if (!(w >= LEAST_PX)) continue;
			const [end, n] = endOfRecursion(node);
			items.push({ node, x, w, level, n });
			let at = x;
			for (const next of childrenOf(end)) {
				this.parents.set(next, node);
				stack.push([next, at, level + 1]);
				at += next.total / top.total * width;
			}
		}
		this.items = items;
		const tops = this.topsOf(items, width), height = tops[tops.length - 1];
		this.box.style.height = `${Math.min(height, MOST_PX) + BORDERS_PX}px`;
		this.box.classList.toggle("deep", height > MOST_PX);
		// a bar to scroll by takes some of the width
		if (height > MOST_PX && this.box.clientWidth && this.box.clientWidth < width) return this.draw();
		this.box.replaceChildren(...items.map((item) => this.element(item, tops)));
	}
	// Where each level begins, and behind it where the last one ends.
	topsOf(items, width) {
		const widest = [], sums = [], tops = [0];
		for (const item of items) {
			widest[item.level] = Math.max(widest[item.level] || 0, item.w);
			sums[item.level] = (sums[item.level] || 0) + item.w;
		}
		for (let level = 0; level < sums.length; level++)
			tops.push(tops[level] + (widest[level] > LEAST_NAMED_PX && sums[level] >= LEAST_LEVEL * width ? LEVEL_PX : THIN_PX));
		return tops;
	}
	element(item, tops) {
		const name = this.look.name(item.node), found = this.look.search() && name.toLowerCase().includes(this.look.search());
		const element = make("div", { role: "treeitem", class: [item.above && "above", found && "found", item.node === this.current && "current"].filter(Boolean).join(" ") });
		element.style.left = `${item.x}px`;
		element.style.top = `${tops[item.level]}px`;
		element.style.height = `${tops[item.level + 1] - tops[item.level]}px`;
		element.style.width = `${Math.max(1, item.w)}px`;
		element.style.background = this.look.color(item.node);
		if (item.w > LEAST_NAMED_PX && tops[item.level + 1] - tops[item.level] === LEVEL_PX) element.textContent = clip(name) + (item.n > 1 ? ` ×${count(item.n)}` : "");
		element.item = item;
		return element;
	}
	hover(event) {
		const item = event.target.item;
		if (item) showTip(this.explain(item.node), event.clientX, event.clientY);
		else hideTip();
	}
	explain(node) {
		const n = endOfRecursion(node)[1], deep = n > 1 ? `\nIt calls itself, and nothing else: ${count(n)} calls deep.` : "";
		return this.look.explain(node, this.tree.total) + deep;
	}
	click(event) {
		const item = event.target.item;
		if (!item) return;
		this.current = item.node;
		this.zoomTo(item.node);
	}
	zoomTo(node) {
		this.zoom = node === this.tree ? null : node;
		this.draw();
	}
	key(event) {
		const at = this.current || this.zoom || this.tree, up = this.parents.get(at);
		const sorted = (node) => childrenOf(endOfRecursion(node)[0]);
		const beside = up ? sorted(up) : [at], place = beside.indexOf(at);
		const moves = {
			ArrowDown: () => sorted(at)[0], ArrowUp: () => up,
			ArrowRight: () => beside[place + 1], ArrowLeft: () => beside[place - 1],
		};
		if (event.key === "Enter") this.zoomTo(at);
		else if (event.key === "Escape" || event.key === "Backspace") this.zoomTo(this.tree);
		else if (moves[event.key]) {
			const next = moves[event.key]();
			if (next) this.current = next;
			if (next && up === undefined) this.parents.get(next) || this.parents.set(next, at);
			this.draw();
			const shown = this.box.querySelector(".current");
			if (shown) shown.scrollIntoView({ block: "nearest" });
			const box = this.box.getBoundingClientRect();
			showTip(this.explain(this.current || at), box.left + 20, Math.max(0, box.top));
		} else return;
		event.preventDefault();
	}
}
