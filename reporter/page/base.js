// SPDX-License-Identifier: BSD-3-Clause
// Elements, numbers in words, and the tip beside the mouse: what both pages need.
const data = JSON.parse(document.getElementById("evprof-data").textContent);

// ---- small things ----

// Names may be as long as a file: nothing is shown whole but on demand.
const LONGEST = 240;
const clip = (text) => text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;


function make(tag, attributes, ...children) {
	const element = document.createElement(tag);
	for (const [key, value] of Object.entries(attributes || {})) {
		if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
		else if (value !== undefined && value !== null && value !== false) element.setAttribute(key, value);
	}
	element.append(...children.filter((c) => c !== null && c !== undefined));
	return element;
}

function drawn(tag, attributes, text) {
	const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
	for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
	if (text !== undefined) element.textContent = text;
	return element;
}

const byId = (id) => document.getElementById(id);

function time(ns) {
	if (ns === null || ns === undefined) return "-";
	if (ns === 0) return "0";
	const units = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];
	const [size, unit] = units.find(([size]) => Math.abs(ns) >= size) || units[3];
	const number = ns / size;
	return `${number >= 1000 ? count(number) : number.toPrecision(3)} ${unit}`;
}

function count(value) {
	if (value === null || value === undefined) return "-";
	if (Math.abs(value) >= 1e15) return value.toExponential(3);
	return Math.round(value).toLocaleString("en-US");
}

const several = (n, what, ending) => `${count(n)} ${what}${n === 1 ? "" : ending}`;
const percent = (share) => `${(100 * share).toFixed(1)} %`;

function legend(box, entries) {
	byId(box).replaceChildren(...entries.map(([color, text]) => {
		const swatch = make("i", { class: "swatch" });
		swatch.style.background = color;
		return make("span", {}, swatch, clip(text));
	}));
}

// ---- the tip ----

const tip = byId("tip");

function showTip(text, x, y) {
	tip.hidden = false;
	tip.textContent = text;
	const box = tip.getBoundingClientRect();
	tip.style.left = `${Math.max(0, Math.min(x + 14, innerWidth - box.width - 8))}px`;
	tip.style.top = `${y + 18 + box.height > innerHeight ? Math.max(0, y - box.height - 10) : y + 18}px`;
}

const hideTip = () => { tip.hidden = true; };

// ---- light and dark ----

function beginTheme() {
	byId("theme").hidden = false;
	byId("theme").addEventListener("click", () => {
		const isDark = getComputedStyle(document.documentElement).colorScheme === "dark" || (!document.documentElement.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
		document.documentElement.dataset.theme = isDark ? "light" : "dark";
	});
}
