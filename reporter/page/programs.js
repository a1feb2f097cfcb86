// SPDX-License-Identifier: BSD-3-Clause
// Evaluates the models' formulas for the chosen range, as common/formula/eval.c does for the whole run.
import { data } from "./base.js";
import { DIGITS, chosen, rangeText, reportBins, times } from "./data.js";

// ---- formulas ----

const known = (v) => v !== null && v !== undefined && Number.isFinite(v) ? v : null;
const both = (of) => (a, b) => a === null || b === null ? null : known(of(a, b));
// If one side is enough to know the result, the other side need not be known.
const logical = (settling) => (a, b) => {
	const side = (v) => v === null ? null : (v !== 0) === settling;
	if (side(a) || side(b)) return settling ? 1 : 0;
	return a === null || b === null ? null : settling ? 0 : 1;
};
const operators = {
	negate: (a) => a === null ? null : -a, nan: () => null,
	or: logical(true), and: logical(false), xor: both((a, b) => Number(!a !== !b)),
	less: both((a, b) => Number(a < b)), greater: both((a, b) => Number(a > b)), less_equal: both((a, b) => Number(a <= b)),
	greater_equal: both((a, b) => Number(a >= b)), equal: both((a, b) => Number(a === b)), not_equal: both((a, b) => Number(a !== b)),
	add: both((a, b) => a + b), subtract: both((a, b) => a - b), multiply: both((a, b) => a * b), divide: both((a, b) => b === 0 ? NaN : a / b),
	modulo: both((a, b) => Math.abs(b) < 1 ? NaN : Math.trunc(a) % Math.trunc(b)), min: both(Math.min), max: both(Math.max),
	d_ratio: both((a, b) => b === 0 ? 0 : a / b),
	select: (value, condition, otherwise) => condition === null ? null : condition !== 0 ? value : otherwise,
};

// Calls see(step, share) for each step of the report in [from, to). share is the part of the step that lies in it.
function eachStep(n, from, to, see) {
	for (let i = Math.floor(from); i < to && i < n; i++) see(i, Math.min(to, i + 1) - Math.max(from, i));
}

// Returns an input's value in the range [from, to), in steps of the report; null if it was measured in none of them.
function inputOfRange(input, from, to) {
	if (!input.is_count) return input.bins.length ? input.bins[0] : null;
	let sum = null;
	eachStep(input.bins.length, from, to, (i, share) => { if (input.bins[i] !== null) sum += input.bins[i] * share; });
	return sum;
}

function evaluate(program, inputs) {
	const cells = [];
	for (const [op, ...operands] of program.code)
		if (op === "number") cells.push(known(operands[0]));
		else if (op === "input") cells.push(inputs[operands[0]]);
		else if (op === "has") cells.push(inputs[operands[0]] === null ? 0 : 1);
		else if (op === "match") cells.push(inputs[operands[0]] || 0);
		else if (op === "sources") cells.push(inputs[operands[0]] === null ? null : program.inputs[operands[0]].sources);
		else cells.push(operators[op](...operands.map((i) => cells[i])));
	return program.values.map((i) => cells[i]);
}

// ---- errors ----

// Errors are computed as evreport does: the formulas are evaluated on each replica of the counts
// (reporter/metrics/replicas.c).
const MOST_LEVEL = 31;
const N_REPLICAS = data.changes.n_replicas;
const changesRead = new Map();

// Returns how much each replica changes an event's count in each step of the report, as an array (steps, N_REPLICAS).
function changesOf(event) {
	if (changesRead.has(event)) return changesRead.get(event);
	const { scales, digits } = data.changes.events[event], changes = new Float64Array(scales.length * N_REPLICAS);
	let at = 0;
	scales.forEach((scale, i) => {
		for (let j = 0; scale > 0 && j < N_REPLICAS; j++) changes[i * N_REPLICAS + j] = scale * (DIGITS.indexOf(digits[at++]) - MOST_LEVEL);
	});
	changesRead.set(event, changes);
	return changes;
}

// Returns how much each replica changes an input in the range; null if its error is not known.
function changesOfRange(input, from, to) {
	const sums = new Float64Array(N_REPLICAS);
	if (!input.is_count || input.is_exact) return sums;
	if (input.changes === undefined) return null;
	const changes = changesOf(input.changes);
	eachStep(input.bins.length, from, to, (i, share) => { for (let j = 0; j < N_REPLICAS; j++) sums[j] += share * changes[i * N_REPLICAS + j]; });
	return sums;
}

// Returns the values of a model's metrics in the range, and their standard errors; null for those that are not known.
function evaluateRange(program, from, to) {
	const inputs = program.inputs.map((input) => inputOfRange(input, from, to)), values = evaluate(program, inputs);
	const changes = program.inputs.map((input) => changesOfRange(input, from, to)), squares = values.map(() => 0);
	for (let j = 0; j < N_REPLICAS; j++)
		evaluate(program, inputs.map((v, i) => v === null || changes[i] === null ? null : v + changes[i][j]))
			.forEach((v, i) => { squares[i] += v === null || values[i] === null ? NaN : (v - values[i]) ** 2; });
	return { values, errors: squares.map((s) => known(Math.sqrt(s * (N_REPLICAS - 1) / N_REPLICAS))) };
}

// ---- for the views ----

// Returns the roofline's point for the range, or null where its operations are not known. Rates are per second of wall
// time, as for the whole run.
export function pointOfRange() {
	const program = data.programs.flops;
	if (!chosen.range || !program) return null;
	const of = evaluateRange(program, ...reportBins()), find = (list, name) => { const v = list[program.names.indexOf(name)]; return v === undefined ? null : v; };
	const flop = find(of.values, "FLOP"), all = find(of.values, "Arithmetic_Intensity"), misses = find(of.values, "FLOP_per_Demand_Miss_Byte");
	if (!flop) return null;
	const seconds = (chosen.range[1] - chosen.range[0]) * times.bin_s, error = find(of.errors, "FLOP");
	return { kind: "range", name: rangeText() + (chosen.thread < 0 ? "" : ", all threads"), flop, flop_per_s: flop / seconds, flop_per_s_error: error === null ? null : error / seconds,
		flop_per_byte: all === null ? misses : all, flop_per_byte_error: find(of.errors, all === null ? "FLOP_per_Demand_Miss_Byte" : "Arithmetic_Intensity"), traffic: all === null && misses !== null ? "misses" : "memory",
		roof_flop_per_s: null, roof_flop_per_s_error: null, bound: null, is_bound_sure: true, reached: null, reached_error: null };
}

// Returns the metrics of a model with their values in the range.
export function metricsOfRange(model, metrics) {
	const { values, errors } = evaluateRange(data.programs[model], ...reportBins());
	return metrics.map((m) => ({ ...m, value: values[m.index], error: errors[m.index], coverage: null, is_invalid: m.is_share && values[m.index] !== null && (values[m.index] < -1e-9 || values[m.index] > 1 + 1e-9) }));
}
