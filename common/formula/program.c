// SPDX-License-Identifier: BSD-3-Clause
/* Compiles trees to one sequence of instructions without jumps. Any thread may call these functions; a finished program
 * is read-only. Definitions that refer to each other are followed with a stack on the heap, not by recursion. */
#include "common/formula/program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/formula/program_private.h"

enum state { NEW, OPEN, DONE };

/* A definition that is being compiled: its nodes before next are done, and node_values has their values. */
struct frame {
	uint32_t definition, next;
	uint32_t *node_values;
};

struct compiler {
	const struct ep_definition *definitions;
	const char *runtime_parameter;
	struct ep_program *program;
	struct ep_names names;   /* distinct names of definitions */
	uint32_t *first_of_name; /* (n_names) the first definition of each name */
	enum state *states;      /* (D) the state of each definition */
	struct frame *frames;
	uint32_t n_frames, capacity_frames;
	struct ep_index index; /* finds an instruction by its content */
};

static void finish_compiler(struct compiler *c)
{
	while (c->n_frames)
		free(c->frames[--c->n_frames].node_values);
	free(c->frames);
	free(c->states);
	free(c->first_of_name);
	ep_index_finish(&c->index);
	ep_names_finish(&c->names);
}

static void destroy_program(struct ep_program **program)
{
	ep_program_destroy(*program);
}

void ep_program_destroy(struct ep_program *program)
{
	if (!program)
		return;
	for (uint32_t i = 0; program->definition_names && i < program->n_definitions; i++)
		free(program->definition_names[i]);
	free(program->definition_names);
	free(program->values);
	free(program->code);
	ep_names_finish(&program->inputs);
	free(program);
}

static uint64_t hash_instruction(const struct ep_instruction *in)
{
	uint64_t bits;

	memcpy(&bits, &in->number, sizeof(bits));
	return ep_hash_mix(ep_hash_bytes(in->op, in->operand, sizeof(in->operand)), bits);
}

static bool same_instruction(const void *owner, uint32_t idx, const void *key)
{
	const struct ep_instruction *a = &((const struct ep_program *)owner)->code[idx], *b = key;

	return a->op == b->op && !memcmp(a->operand, b->operand, sizeof(a->operand)) &&
	       !memcmp(&a->number, &b->number, sizeof(a->number));
}

static int emit(struct compiler *c, const struct ep_instruction *in, uint32_t *out_value)
{
	struct ep_program *program = c->program;
	uint64_t hash = hash_instruction(in);

	*out_value = ep_index_find(&c->index, hash, same_instruction, program, in);
	if (*out_value != EP_NONE)
		return 0;
	if (EP_ARRAY_RESERVE(program->code, program->n_code, program->capacity_code) ||
		ep_index_add(&c->index, hash, program->n_code))
		return -ENOMEM;
	program->code[program->n_code] = *in;
	*out_value = program->n_code++;
	return 0;
}

static char kind_letter(enum ep_op op)
{
	return op == EP_OP_LITERAL ? '#' : op == EP_OP_CPUID_MATCH ? '?' : 'e';
}

/* Returns the input's text: its kind, then the name, in which the run-time parameter replaces every '?'. */
static char *input_text(const struct compiler *c, enum ep_op op, const char *name)
{
	size_t size = 0;
	char *text = NULL;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fputc(kind_letter(op), out);
	for (; *name; name++)
		if (*name == '?' && c->runtime_parameter && op != EP_OP_CPUID_MATCH)
			fputs(c->runtime_parameter, out);
		else
			fputc(*name, out);
	return fclose(out) ? NULL : text;
}

static int emit_input(struct compiler *c, enum ep_op op, const char *name, uint32_t *out_value)
{
	EP_AUTOFREE char *text = input_text(c, op, name);
	struct ep_instruction in = { .op = op };

	if (!text || ep_names_add(&c->program->inputs, text, &in.operand[0]))
		return -ENOMEM;
	return emit(c, &in, out_value);
}

static int push_frame(struct compiler *c, uint32_t definition)
{
	struct frame frame = { .definition = definition };

	if (EP_ARRAY_RESERVE(c->frames, c->n_frames, c->capacity_frames))
		return -ENOMEM;
	frame.node_values =
		calloc(c->definitions[definition].ast->n_nodes + 1, sizeof(*frame.node_values));
	if (!frame.node_values)
		return -ENOMEM;
	c->frames[c->n_frames++] = frame;
	c->states[definition] = OPEN;
	return 0;
}

/* Compiles a name that is a definition. If the definition is compiled already, *out_value is its value. If it is being
 * compiled, the name closes a cycle and is absent. Else the definition is pushed onto the stack, and *out_waits is
 * set. */
static int compile_reference(
	struct compiler *c, uint32_t definition, uint32_t *out_value, bool *out_waits)
{
	struct ep_instruction absent = { .op = EP_OP_ABSENT, .operand = { definition } };

	switch (c->states[definition]) {
	case DONE:
		*out_value = c->program->values[definition];
		return 0;
	case OPEN:
		return emit(c, &absent, out_value);
	default:
		*out_waits = true;
		return push_frame(c, definition);
	}
}

static int compile_operator(struct compiler *c, const struct ep_node *node,
	const uint32_t *node_values, uint32_t *out_value)
{
	struct ep_instruction in = { .op = node->op, .number = node->number };

	for (unsigned i = 0; i < ep_op_n_operands(node->op); i++)
		in.operand[i] = node_values[node->operand[i]];
	return emit(c, &in, out_value);
}

static int compile_node(struct compiler *c, const struct frame *frame, bool *out_waits)
{
	const struct ep_ast *ast = c->definitions[frame->definition].ast;
	const struct ep_node *node = &ast->nodes[frame->next];
	uint32_t *value = &frame->node_values[frame->next], name_idx;

	if (ep_op_info[node->op].form != EP_FORM_TEXT)
		return compile_operator(c, node, frame->node_values, value);
	name_idx =
		node->op == EP_OP_NAME ? ep_names_find(&c->names, ep_ast_name(ast, node)) : EP_NONE;
	if (name_idx == EP_NONE)
		return emit_input(c, node->op, ep_ast_name(ast, node), value);
	return compile_reference(c, c->first_of_name[name_idx], value, out_waits);
}

static int compile_definition(struct compiler *c, uint32_t definition)
{
	int rc = c->states[definition] == NEW ? push_frame(c, definition) : 0;

	while (!rc && c->n_frames) {
		struct frame *frame = &c->frames[c->n_frames - 1];
		uint32_t n_nodes = c->definitions[frame->definition].ast->n_nodes;
		bool waits = false;

		if (frame->next < n_nodes) {
			/* compile_node may move the frames: frame is not used after waits was set */
			rc = compile_node(c, frame, &waits);
			if (!rc && !waits)
				frame->next++;
			continue;
		}
		c->program->values[frame->definition] = frame->node_values[n_nodes - 1];
		c->states[frame->definition] = DONE;
		free(frame->node_values);
		c->n_frames--;
	}
	return rc;
}

static int collect_names(struct compiler *c, uint32_t n_definitions)
{
	for (uint32_t i = 0; i < n_definitions; i++) {
		uint32_t idx, n_before = c->names.n_names;

		if (ep_names_add(&c->names, c->definitions[i].name, &idx))
			return -ENOMEM;
		if (idx == n_before)
			c->first_of_name[idx] = i;
		c->program->definition_names[i] = strdup(c->definitions[i].name);
		if (!c->program->definition_names[i])
			return -ENOMEM;
	}
	return 0;
}

int ep_program_create(const struct ep_definition *definitions, uint32_t n_definitions,
	const char *runtime_parameter, struct ep_program **out)
{
	__attribute__((cleanup(destroy_program))) struct ep_program *program =
		calloc(1, sizeof(*program));
	__attribute__((cleanup(finish_compiler))) struct compiler c = {
		.definitions = definitions,
		.runtime_parameter = runtime_parameter,
		.program = program,
		.first_of_name = calloc(n_definitions + 1, sizeof(*c.first_of_name)),
		.states = calloc(n_definitions + 1, sizeof(*c.states)),
	};
	int rc;

	if (!program || !c.first_of_name || !c.states)
		return -ENOMEM;
	program->values = calloc(n_definitions + 1, sizeof(*program->values));
	program->definition_names = calloc(n_definitions + 1, sizeof(char *));
	if (!program->values || !program->definition_names)
		return -ENOMEM;
	program->n_definitions = n_definitions;
	rc = collect_names(&c, n_definitions);
	for (uint32_t i = 0; !rc && i < n_definitions; i++)
		rc = compile_definition(&c, i);
	if (rc)
		return rc;
	*out = program;
	program = NULL;
	return 0;
}

uint32_t ep_program_n_inputs(const struct ep_program *program)
{
	return program->inputs.n_names;
}

uint32_t ep_program_n_definitions(const struct ep_program *program)
{
	return program->n_definitions;
}

enum ep_input_kind ep_program_input_kind(const struct ep_program *program, uint32_t input_idx)
{
	char letter = program->inputs.texts[input_idx][0];

	return letter == 'e' ? EP_INPUT_EVENT : letter == '#' ? EP_INPUT_LITERAL : EP_INPUT_CPUID;
}

const char *ep_program_input_name(const struct ep_program *program, uint32_t input_idx)
{
	return program->inputs.texts[input_idx] + 1;
}
