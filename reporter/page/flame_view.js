// SPDX-License-Identifier: BSD-3-Clause
// Flame graphs of any tree.
const LEVEL_PX = 18, LEAST_PX = 1, MOST_PX = 900;

// A view of a tree in a box, whose children grow downwards. A node: { symbol, total, children: Map by symbol }.
// look: name, color and explain of a node, and search(), in lower case.
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
			const next = at.children.get(symbol);
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
		above.forEach((node, level) => items.push({ node, x: 0, w: width, level, above: true }));
		let deepest = above.length;
		const stack = [[top, 0, above.length]];
		while (stack.length) {
			const [node, x, level] = stack.pop(), w = node.total / top.total * width;
			if (!(w >= LEAST_PX)) continue;
			deepest = Math.max(deepest, level);
			items.push({ node, x, w, level });
			let at = x;
			for (const next of [...node.children.values()].sort((a, b) => b.total - a.total)) {
				this.parents.set(next, node);
				stack.push([next, at, level + 1]);
				at += next.total / top.total * width;
			}
		}
		this.items = items;
		const height = (deepest + 1) * LEVEL_PX;
		this.box.style.height = `${Math.min(height, MOST_PX)}px`;
		this.box.classList.toggle("deep", height > MOST_PX);
		// a bar to scroll by takes some of the width
		if (height > MOST_PX && this.box.clientWidth && this.box.clientWidth < width) return this.draw();
		this.box.replaceChildren(...items.map((item) => this.element(item)));
	}
	element(item) {
		const name = this.look.name(item.node), found = this.look.search() && name.toLowerCase().includes(this.look.search());
		const element = make("div", { role: "treeitem", class: [item.above && "above", found && "found", item.node === this.current && "current"].filter(Boolean).join(" ") });
		element.style.left = `${item.x}px`;
		element.style.top = `${item.level * LEVEL_PX}px`;
		element.style.width = `${Math.max(1, item.w)}px`;
		element.style.background = this.look.color(item.node);
		if (item.w > 25) element.textContent = clip(name);
		element.item = item;
		return element;
	}
	hover(event) {
		const item = event.target.item;
		if (item) showTip(this.look.explain(item.node, this.tree.total), event.clientX, event.clientY);
		else hideTip();
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
		const sorted = (node) => [...node.children.values()].sort((a, b) => b.total - a.total);
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
			showTip(this.look.explain(this.current || at, this.tree.total), box.left + 20, Math.max(0, box.top));
		} else return;
		event.preventDefault();
	}
}
