// SPDX-License-Identifier: BSD-3-Clause
/* Prints the kinds of the loops' instructions, and what vectorization would change. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/annotate/annotate_private.h"
#include "reporter/text/signs.h"

static void put_numbers(const struct ep_annotate_text *t, const struct ep_instruction_mix *mix)
{
	const uint32_t numbers[] = { mix->n, mix->n_scalar_floating, mix->n_vector_floating,
		mix->n_vector_integer, mix->n_fma, mix->n_divide, mix->n_gather, mix->n_calls };

	for (size_t i = 0; i < EP_ARRAY_SIZE(numbers); i++) {
		if (numbers[i])
			fprintf(t->layout->out, "%7u", numbers[i]);
		else
			fprintf(t->layout->out, "%7s", "-");
	}
	if (mix->n_bits)
		fprintf(t->layout->out, "%6u", mix->n_bits);
	else
		fprintf(t->layout->out, "%6s", "-");
}

static void format_place(const struct ep_annotated_loop *loop, char *out, size_t size)
{
	if (loop->file)
		snprintf(out, size, "%s:%u", ep_base_name(loop->file), loop->line);
	else
		snprintf(out, size, "0x%llx", (unsigned long long)loop->head);
}

static void put_loop(const struct ep_annotate_text *t, const struct ep_annotated_loop *loop)
{
	char time[EP_NUMBER_BYTES] = "-", place[300];

	if (loop->cost.self_ns)
		ep_format_seconds(time, (double)loop->cost.self_ns / 1e9);
	ep_put_right(t->layout, time, 11);
	put_numbers(t, &loop->mix);
	format_place(loop, place, sizeof(place));
	fprintf(t->layout->out, "  %*s%s\n", (int)(loop->depth < 8 ? 2 * (loop->depth - 1) : 14),
		"", place);
}

/* ---- loops that are not vectorized ---- */

/* The capacity of a vector on each machine. */
static const struct {
	uint16_t machine;
	const char *holds;
} vectors[] = {
	{ EM_X86_64, "2 doubles or 4 floats (SSE), 4 or 8 (AVX2), 8 or 16 (AVX-512)" },
	{ EM_386, "2 doubles or 4 floats (SSE2), 4 or 8 (AVX2)" },
	{ EM_AARCH64, "2 doubles or 4 floats (NEON), more with SVE" },
	{ EM_PPC64, "2 doubles or 4 floats (VSX)" },
};

static const char *vector_of(uint16_t machine)
{
	for (size_t i = 0; i < EP_ARRAY_SIZE(vectors); i++)
		if (vectors[i].machine == machine)
			return vectors[i].holds;
	return NULL;
}

/* Tells whether a hot loop has only scalar floating-point instructions. Only innermost loops count, since
 * compilers vectorize these. */
static bool is_scalar(const struct ep_annotate_text *t, uint32_t loop_idx)
{
	const struct ep_annotated_loop *loop = &t->annotation->loops[loop_idx];

	return ep_annotated_is_innermost(t->annotation, loop_idx) &&
	       ep_annotated_share(t->annotation, &loop->cost) >= EP_ANNOTATED_MUCH &&
	       loop->mix.n_scalar_floating && !loop->mix.n_vector_floating;
}

static bool has_root(const struct ep_annotate_text *t, const struct ep_annotated_loop *loop)
{
	const struct ep_annotation *annotation = t->annotation;
	uint32_t loop_idx = (uint32_t)(loop - annotation->loops);

	for (uint32_t i = 0; i < annotation->n_instructions; i++)
		if (annotation->instructions[i].loop_idx == loop_idx &&
			strstr(annotation->instructions[i].text, "sqrt"))
			return true;
	return false;
}

/* Formats a sentence on calls in a loop. GCC compiles a square root to an instruction, and calls the
 * library's sqrt after it only to set errno for a negative number. */
static void format_calls(const struct ep_annotate_text *t, const struct ep_annotated_loop *loop,
	char *out, size_t size)
{
	uint32_t n = loop->mix.n_calls;

	*out = 0;
	if (n)
		snprintf(out, size, " The %u call%s in it must be inlined first%s.", n,
			n > 1 ? "s" : "",
			has_root(t, loop)
				? "; GCC keeps a call of sqrt for negative numbers, which -fno-math-errno removes"
				: "");
}

static void put_scalar_remark(
	const struct ep_annotate_text *t, const struct ep_annotated_loop *loop)
{
	const char *holds = vector_of(t->annotation->machine);
	char place[300], calls[200], computes[80] = "its floating-point instruction computes",
				     text[900];
	uint32_t n = loop->mix.n_scalar_floating;

	if (!holds)
		return;
	format_place(loop, place, sizeof(place));
	format_calls(t, loop, calls, sizeof(calls));
	if (n > 1)
		snprintf(computes, sizeof(computes),
			"each of its %u floating-point instructions computes", n);
	snprintf(text, sizeof(text),
		"%s: %s one number: the loop is not vectorized. A vector holds %s.%s The compiler says what is in the way: -fopt-info-vec-missed (GCC), -Rpass-analysis=loop-vectorize (Clang).",
		place, computes, holds, calls);
	ep_put_remark(t->layout, text);
}

/* ---- least cycles of an iteration ---- */

/* Writes the measured cycles, and how they compare with the bound. */
static void say_measured(const struct ep_annotate_text *t, const struct ep_annotated_loop *loop,
	char *out, size_t size)
{
	static const char *const verdicts[] = {
		[EP_TURN_AS_BOUND] = "",
		[EP_TURN_SLOWER] =
			" Something else takes the rest: most likely data that are not in the first cache, or mispredicted branches.",
		[EP_TURN_QUICKER] = " So the bound is wrong here: do not go by it.",
	};
	enum ep_turn_verdict verdict = ep_annotated_judge_turn(loop);

	*out = 0;
	if (verdict != EP_TURN_UNKNOWN)
		snprintf(out, size, " It took %.1f %s%.1f cycles.%s", loop->measured.value,
			ep_sign_plus_minus(t->layout->utf8), ep_quantity_bar(&loop->measured),
			verdicts[verdict]);
}

static void put_bound(const struct ep_annotate_text *t, const struct ep_annotated_loop *loop)
{
	static const char *const limits[] = {
		[EP_LIMIT_PORTS] =
			"its execution ports are busy all the time: fewer instructions, or vectors, make it faster",
		[EP_LIMIT_CHAIN] =
			"instructions wait for results, also for those of the iteration before",
		[EP_LIMIT_FRONT_END] =
			"the CPU cannot start more instructions in a cycle: fewer instructions, or vectors, make it faster",
	};
	char place[300], ports[60] = "", measured[300], text[1200];

	format_place(loop, place, sizeof(place));
	say_measured(t, loop, measured, sizeof(measured));
	if (loop->bound.limit == EP_LIMIT_CHAIN)
		snprintf(ports, sizeof(ports), "; without that its ports need %.1f",
			loop->bound.ports_cycles);
	snprintf(text, sizeof(text),
		"%s: an iteration of %u instructions takes at least %.1f cycles on %s if all data are in the first cache (llvm-mca): %s%s.%s",
		place, loop->n_in_turn, loop->bound.cycles, t->annotation->bound_cpu,
		limits[loop->bound.limit], ports, measured);
	ep_put_remark(t->layout, text);
}

/* Puts a remark on divisions. A core has one divider, and each division takes about as long as three
 * multiplications, or longer (Agner Fog's tables: 13 to 20 cycles against 4 on the CPUs of this decade). The
 * advice to multiply by the reciprocal is for floating point, since integers have none. */
static void put_divisions(const struct ep_annotate_text *t, const struct ep_annotated_loop *loop)
{
	char place[300], text[600];

	format_place(loop, place, sizeof(place));
	snprintf(text, sizeof(text),
		"%s: %u of its %u instructions divide%s or take%s a root, which takes about as long as three multiplications, or longer. Where a floating-point divisor stays the same, compute its reciprocal once and multiply (-freciprocal-math does so, last digits may differ).",
		place, loop->mix.n_divide, loop->mix.n, loop->mix.n_divide > 1 ? "" : "s",
		loop->mix.n_divide > 1 ? "" : "s");
	ep_put_remark(t->layout, text);
}

static bool divides_much(const struct ep_annotate_text *t, uint32_t loop_idx)
{
	const struct ep_annotated_loop *loop = &t->annotation->loops[loop_idx];

	return ep_annotated_is_innermost(t->annotation, loop_idx) && loop->mix.n_divide &&
	       ep_annotated_share(t->annotation, &loop->cost) >= EP_ANNOTATED_MUCH;
}

/* Puts a remark on blocked loads. The 13 cycles are the cost that Yasin's Top-Down assumes for a blocked load
 * (tma_store_fwd_blk of Linux's metrics for Skylake to Sapphire Rapids). The bounds, which are printed next,
 * do not contain this cost: llvm-mca assumes that every store is forwarded. */
static void put_blocked(const struct ep_annotate_text *t, const struct ep_annotated_loop *loop)
{
	char place[300], text[700];

	format_place(loop, place, sizeof(place));
	snprintf(text, sizeof(text),
		"%s: %u of its loads read%s bytes that narrower stores, or several of them, wrote just before in the same iteration. No store can be forwarded to such a load: it waits until they are in the cache, some 13 cycles each. Join the parts in a register, or store as wide as is loaded.",
		place, loop->n_blocked, loop->n_blocked > 1 ? "" : "s");
	ep_put_remark(t->layout, text);
}

static void put_all_blocked(const struct ep_annotate_text *t)
{
	const struct ep_annotation *annotation = t->annotation;

	for (uint32_t i = 0; i < annotation->n_loops; i++)
		if (annotation->loops[i].n_blocked &&
			ep_annotated_share(annotation, &annotation->loops[i].cost) >=
				EP_ANNOTATED_MUCH)
			put_blocked(t, &annotation->loops[i]);
}

static void put_bounds(const struct ep_annotate_text *t)
{
	const struct ep_annotation *annotation = t->annotation;
	char text[300];

	for (uint32_t i = 0; i < annotation->n_loops; i++)
		if (annotation->loops[i].n_in_turn)
			put_bound(t, &annotation->loops[i]);
	if (!annotation->is_bound_cpu_unknown)
		return;
	snprintf(text, sizeof(text),
		"The installed llvm-mca does not know %s, so no lower bound of a loop's cycles is shown; --mcpu NAME names a CPU that it knows.",
		annotation->bound_cpu);
	ep_put_remark(t->layout, text);
}

static bool is_shown(const struct ep_annotate_text *t, const struct ep_annotated_loop *loop)
{
	return loop->mix.n && (t->page->shows_all || ep_annotated_has_time(&loop->cost));
}

void ep_annotate_put_mix(const struct ep_annotate_text *t)
{
	const struct ep_annotation *annotation = t->annotation;
	uint32_t n = 0;

	for (uint32_t i = 0; i < annotation->n_loops; i++)
		n += is_shown(t, &annotation->loops[i]);
	if (!n)
		return;
	ep_put_heading(t->layout, "Kinds of the loops' instructions",
		"without those of inner loops; an instruction may be of several kinds");
	fprintf(t->layout->out, "%11s%7s%7s%7s%7s%7s%7s%7s%7s%6s  loop\n", "time", "all", "scalar",
		"vector", "vector", "FMA", "divide", "gather", "call", "bits");
	fprintf(t->layout->out, "%11s%7s%7s%7s%7s\n", "", "", "float", "float", "int");
	for (uint32_t i = 0; i < annotation->n_loops; i++)
		if (is_shown(t, &annotation->loops[i]))
			put_loop(t, &annotation->loops[i]);
	for (uint32_t i = 0; i < annotation->n_loops; i++)
		if (is_scalar(t, i))
			put_scalar_remark(t, &annotation->loops[i]);
	for (uint32_t i = 0; i < annotation->n_loops; i++)
		if (divides_much(t, i))
			put_divisions(t, &annotation->loops[i]);
	put_all_blocked(t);
	put_bounds(t);
}
