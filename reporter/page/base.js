// SPDX-License-Identifier: BSD-3-Clause
// Both pages use this: elements, numbers as text, and the tip beside the mouse.
import { area, curveStepAfter } from "./d3.js";

export const data = JSON.parse(document.getElementById("evprof-data").textContent);

// ---- small things ----

// Names in a trace may be as long as a file, so views show at most this many characters.
const LONGEST = 240;
export const clip = (text) => text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;

export function make(tag, attributes, ...children) {
	const element = document.createElement(tag);
	for (const [key, value] of Object.entries(attributes || {})) {
		if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
		else if (value !== undefined && value !== null && value !== false) element.setAttribute(key, value);
	}
	element.append(...children.filter((c) => c !== null && c !== undefined));
	return element;
}

// Sets attributes of a D3 selection. Each attribute has a name, and a value or a function of the datum.
export function attrs(selection, attributes) {
	for (const [name, value] of Object.entries(attributes)) selection.attr(name, value);
}

export const byId = (id) => document.getElementById(id);

export function time(ns) {
	if (ns === null || ns === undefined) return "-";
	if (ns === 0) return "0";
	const units = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];
	const [size, unit] = units.find(([size]) => Math.abs(ns) >= size) || units[3];
	const number = ns / size;
	return `${number >= 1000 ? count(number) : number.toPrecision(3)} ${unit}`;
}

export function count(value) {
	if (value === null || value === undefined) return "-";
	if (Math.abs(value) >= 1e15) return value.toExponential(3);
	return Math.round(value).toLocaleString("en-US");
}

export const several = (n, what, ending) => `${count(n)} ${what}${n === 1 ? "" : ending}`;
export const percent = (share) => `${(100 * share).toFixed(1)} %`;

export function legend(box, entries) {
	byId(box).replaceChildren(...entries.map(([color, text]) => {
		const swatch = make("i", { class: "swatch" });
		swatch.style.background = color;
		return make("span", {}, swatch, clip(text));
	}));
}

// Returns the totals of calls: their own values and those of all calls below. A caller stands before the calls it made.
export function sumUp(self, parent) {
	const totals = Float64Array.from(self);
	for (let i = totals.length - 1; i > 0; i--) totals[parent[i]] += totals[i];
	return totals;
}

// Returns the path of an area whose height is constant in each step. x places the number of a step, and low and high
// place its value.
export const stepArea = (steps, x, low, high) => area().curve(curveStepAfter).x((step, i) => x(i)).y0(low).y1(high)([...steps, ...steps.slice(-1)]);

// ---- the tip ----

const tip = byId("tip");

export function showTip(text, x, y) {
	tip.hidden = false;
	tip.textContent = text;
	const box = tip.getBoundingClientRect();
	tip.style.left = `${Math.max(0, Math.min(x + 14, innerWidth - box.width - 8))}px`;
	tip.style.top = `${y + 18 + box.height > innerHeight ? Math.max(0, y - box.height - 10) : y + 18}px`;
}

export const hideTip = () => { tip.hidden = true; };

// ---- what both pages begin with ----

function beginTheme() {
	byId("theme").hidden = false;
	byId("theme").addEventListener("click", () => {
		const isDark = getComputedStyle(document.documentElement).colorScheme === "dark" || (!document.documentElement.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
		document.documentElement.dataset.theme = isDark ? "light" : "dark";
	});
}

// Shows the views in place of the text. They must be visible before they are drawn, since only then have they a width.
export function showPage(draw) {
	beginTheme();
	byId("views").hidden = false;
	byId("as-text").open = false;
	draw();
	document.documentElement.dataset.ready = "yes";
}

export function beginInverse(chosen, flame, draw) {
	byId("inverted").addEventListener("click", () => {
		chosen.inverted = !chosen.inverted;
		byId("inverted").setAttribute("aria-pressed", String(chosen.inverted));
		flame.path = [];
		draw();
	});
}

export function beginSearch(chosen, draw) {
	const search = byId("search");
	search.addEventListener("input", () => { chosen.search = search.value.toLowerCase(); draw(); });
	document.addEventListener("keydown", (event) => {
		if (event.key !== "/" || document.activeElement === search) return;
		search.focus();
		event.preventDefault();
	});
}
