// SPDX-License-Identifier: BSD-3-Clause
/* Finds the instructions of a loop's iteration, if all iterations execute the same ones. */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/annotate/annotate_private.h"

/* the most instructions of an iteration: longer ones take too long to simulate */
enum { MOST_INSTRUCTIONS = 500 };

bool ep_annotated_is_innermost(const struct ep_annotation *annotation, uint32_t loop_idx)
{
	for (uint32_t i = loop_idx + 1; i < annotation->n_loops; i++)
		if (annotation->loops[i].parent_idx == loop_idx)
			return false;
	return true;
}

static bool is_jump(const char *text, uint16_t machine)
{
	static const char *const arm[] = { "b.", "b ", "cbz", "cbnz", "tbz", "tbnz", "br ", "ret" };

	if (machine != EM_AARCH64)
		return text[0] == 'j' || !strncmp(text, "loop", 4);
	for (size_t i = 0; i < EP_ARRAY_SIZE(arm); i++)
		if (!strncmp(text, arm[i], strlen(arm[i])))
			return true;
	return false;
}

/* The instructions [first, end) of an annotation that are one iteration. */
struct turn {
	uint32_t first, end;
	uint64_t ns; /* time of these instructions */
};

/* Returns the instructions from first on that follow each other without a gap and are of the same loop. They
 * are one piece of the loop's code; a compiler may make several of one loop. */
static struct turn turn_at(const struct ep_annotation *annotation, uint32_t first)
{
	const struct ep_annotated_instruction *rows = annotation->instructions;
	struct turn turn = { .first = first, .end = first };

	do
		turn.ns += rows[turn.end++].cost.self_ns;
	while (turn.end < annotation->n_instructions && !rows[turn.end].is_first &&
		rows[turn.end].loop_idx == rows[first].loop_idx);
	return turn;
}

/* Tells whether each iteration executes the same instructions: only the last one is a jump, and there is no
 * call. Also false if the iteration is too long to simulate. */
static bool is_straight(const struct ep_annotation *annotation, const struct turn *turn)
{
	for (uint32_t i = turn->first; i < turn->end; i++) {
		const char *text = annotation->instructions[i].text;

		if (is_jump(text, annotation->machine) != (i + 1 == turn->end) ||
			ep_instruction_kind_of(text, annotation->machine).is_call)
			return false;
	}
	return turn->end - turn->first <= MOST_INSTRUCTIONS;
}

/* Returns the piece of the loop's code that has the most time; end 0: there is none. */
static struct turn hottest_turn(const struct ep_annotation *annotation, uint32_t loop_idx)
{
	struct turn hottest = { 0 };

	for (uint32_t i = 0; i < annotation->n_instructions;) {
		struct turn turn = turn_at(annotation, i);

		if (annotation->instructions[i].loop_idx == loop_idx && turn.ns > hottest.ns)
			hottest = turn;
		i = turn.end;
	}
	return hottest;
}

static char *write_assembly(const struct ep_annotation *annotation, const struct turn *turn)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (uint32_t i = turn->first; i < turn->end && out; i++)
		fprintf(out, "%s\n", annotation->instructions[i].text);
	if (!out || fclose(out))
		return NULL;
	return text;
}

static int find_bound(
	struct ep_annotation *annotation, uint32_t loop_idx, struct ep_bound_question *question)
{
	struct ep_annotated_loop *loop = &annotation->loops[loop_idx];
	struct turn turn = hottest_turn(annotation, loop_idx);
	EP_AUTOFREE char *assembly = NULL;

	if (!turn.end || !is_straight(annotation, &turn))
		return 0;
	assembly = write_assembly(annotation, &turn);
	if (!assembly)
		return -ENOMEM;
	question->assembly = assembly;
	if (ep_loop_bound_find(question, &loop->bound))
		return 0;
	loop->n_in_turn = turn.end - turn.first;
	ep_annotated_measure_turn(annotation, turn.ns, loop);
	return 0;
}

/* Checks whether llvm-mca knows the CPU. Returns 0, -EINVAL if not, or -ENOENT if llvm-mca is not installed. */
static int check_cpu(struct ep_annotation *annotation, const struct ep_bound_question *question)
{
	const struct ep_bound_question probe = { question->cpu, question->march, "nop\n" };
	struct ep_loop_bound bound;
	int rc = ep_loop_bound_find(&probe, &bound);

	annotation->is_bound_cpu_unknown = rc == -EINVAL;
	return rc;
}

static bool is_hot(const struct ep_annotation *annotation, uint32_t loop_idx)
{
	return ep_annotated_is_innermost(annotation, loop_idx) &&
	       ep_annotated_share(annotation, &annotation->loops[loop_idx].cost) >=
		       EP_ANNOTATED_MUCH;
}

int ep_annotation_find_bounds(struct ep_annotation *annotation, const char *cpuid, const char *cpu)
{
	struct ep_bound_question question = { 0 };
	bool is_checked = false;
	int rc = 0;

	question.cpu = ep_bound_cpu_of(cpuid, &question.march);
	if (cpu)
		question.cpu = cpu;
	annotation->bound_cpu = question.cpu;
	for (uint32_t i = 0; i < annotation->n_loops && !rc && question.cpu; i++) {
		if (!is_hot(annotation, i))
			continue;
		if (!is_checked && check_cpu(annotation, &question))
			return 0;
		is_checked = true;
		rc = find_bound(annotation, i, &question);
	}
	return rc;
}
