// SPDX-License-Identifier: BSD-3-Clause
/* Finds how a loop accesses memory. Its code, in the order of addresses, is taken as one iteration. A register has
 * a step if only additions change it. A register that is loaded is followed back to the registers from which its
 * address was computed, as they were at the beginning of the iteration. If these lead back to the register itself,
 * the iterations follow a chain of pointers. */
#include "reporter/loops/loop_access.h"

#include <capstone/capstone.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/loops/loops_private.h"

static const unsigned int general_registers[] = { X86_REG_RAX, X86_REG_RBX, X86_REG_RCX,
	X86_REG_RDX, X86_REG_RSI, X86_REG_RDI, X86_REG_RBP, X86_REG_RSP, X86_REG_R8, X86_REG_R9,
	X86_REG_R10, X86_REG_R11, X86_REG_R12, X86_REG_R13, X86_REG_R14, X86_REG_R15 };

enum { N_GENERAL = EP_ARRAY_SIZE(general_registers) };

struct address_register {
	bool is_written;
	bool is_of_inner;            /* a loop inside this loop writes the register */
	uint32_t n_changes, n_steps; /* number in one iteration; a step is a change, too */
	int64_t step;                /* number that an iteration adds */
	bool is_variable;            /* an iteration adds another register */
	/* How the latest value was made. is_loaded: it was loaded, or computed from a loaded value. origins: the
	 * general registers from whose values at the beginning of the iteration it was computed, a bit each.
	 * address_origins: the general registers from which the addresses that it was loaded from were computed. */
	bool is_loaded;
	uint32_t origins, address_origins;
};

enum { MOST_WALKED = 64, MOST_PARTS = 32 };

/* Operands whose addresses differ only in the displacement, which are taken for elements of one array. */
struct walked {
	unsigned int base, index;
	int scale;
	int64_t displacements[MOST_PARTS]; /* (n_parts) displacements of the elements */
	uint32_t n_parts;
	uint32_t n_bytes; /* sum of the sizes of all parts */
};

struct access_search {
	csh handle;
	cs_insn *instruction;
	const struct ep_procedure_code *code;
	const struct ep_loops *loops;
	uint32_t loop_idx;
	struct address_register registers[X86_REG_ENDING];
	uint32_t chained; /* general registers that follow a chain of pointers, a bit each */
	struct walked walked[MOST_WALKED];
	uint32_t n_walked;
	bool has_call, has_other;
	bool seen[EP_N_ACCESSES];
};

/* Tells whether only steps change the register. */
static bool has_step(const struct address_register *reg)
{
	return reg->n_steps == reg->n_changes && !reg->is_of_inner;
}

static struct address_register *register_of(struct access_search *s, unsigned int reg)
{
	return &s->registers[ep_x86_whole_register(reg)];
}

/* ---- what an iteration does to registers ---- */

/* Finds the step of an instruction that adds a number or another register to its own register. Returns false for other
 * instructions. */
static bool find_step(const cs_insn *instruction, int64_t *out_step, bool *out_is_variable)
{
	const cs_x86_op *operands = instruction->detail->x86.operands;
	bool by_number = operands[1].type == X86_OP_IMM;

	*out_is_variable = false;
	*out_step = 0;
	switch (instruction->id) {
	case X86_INS_INC:
	case X86_INS_DEC:
		*out_step = instruction->id == X86_INS_INC ? 1 : -1;
		return true;
	case X86_INS_ADD:
	case X86_INS_SUB:
		*out_is_variable = operands[1].type == X86_OP_REG;
		if (by_number)
			*out_step =
				instruction->id == X86_INS_ADD ? operands[1].imm : -operands[1].imm;
		return by_number || *out_is_variable;
	case X86_INS_LEA:
		*out_is_variable = operands[1].mem.index != X86_REG_INVALID;
		*out_step = operands[1].mem.disp;
		return ep_x86_whole_register(operands[1].mem.base) ==
		       ep_x86_whole_register(operands[0].reg);
	default:
		return false;
	}
}

/* Returns the operand that is read from memory. NULL: there is none, or its address is constant, as that of a
 * variable which the compiler kept in memory. */
static const x86_op_mem *loaded_operand(struct access_search *s, const cs_insn *instruction)
{
	const cs_x86 *x86 = &instruction->detail->x86;

	for (uint8_t i = 1; i < x86->op_count && instruction->id != X86_INS_LEA; i++) {
		const x86_op_mem *mem = &x86->operands[i].mem;

		if (x86->operands[i].type == X86_OP_MEM &&
			(register_of(s, mem->base)->is_written ||
				register_of(s, mem->index)->is_written))
			return mem;
	}
	return NULL;
}

static bool clears(const cs_insn *instruction)
{
	const cs_x86_op *operands = instruction->detail->x86.operands;

	return (instruction->id == X86_INS_XOR || instruction->id == X86_INS_SUB) &&
	       operands[0].type == X86_OP_REG && operands[1].type == X86_OP_REG &&
	       operands[0].reg == operands[1].reg;
}

/* The registers that an instruction reads and writes. */
struct register_effect {
	cs_regs read, written;
	uint8_t n_read, n_written;
};

static void follow_back(
	struct access_search *s, const struct register_effect *effect, struct address_register *reg)
{
	const x86_op_mem *mem = loaded_operand(s, s->instruction);
	struct address_register value = { .is_loaded = mem != NULL };

	if (mem)
		value.address_origins =
			register_of(s, mem->base)->origins | register_of(s, mem->index)->origins;
	for (uint8_t i = 0; i < effect->n_read && !clears(s->instruction); i++) {
		const struct address_register *from = register_of(s, effect->read[i]);

		value.origins |= from->origins;
		value.address_origins |= from->address_origins;
		value.is_loaded |= from->is_loaded;
	}
	reg->origins = value.origins;
	reg->address_origins = value.address_origins;
	reg->is_loaded = value.is_loaded;
}

static void change_register(
	struct access_search *s, const struct register_effect *effect, unsigned int written)
{
	const cs_x86_op *first = &s->instruction->detail->x86.operands[0];
	struct address_register *reg = register_of(s, written);
	int64_t step;
	bool is_variable;

	reg->n_changes++;
	if (first->type == X86_OP_REG && register_of(s, first->reg) == reg &&
		find_step(s->instruction, &step, &is_variable) && !clears(s->instruction) &&
		!reg->is_loaded) {
		reg->step += step;
		reg->is_variable |= is_variable;
		reg->n_steps++;
		return;
	}
	follow_back(s, effect, reg);
}

static void for_each_written(struct access_search *s,
	void (*visit)(struct access_search *s, const struct register_effect *effect,
		unsigned int written))
{
	struct register_effect effect;

	if (cs_regs_access(s->handle, s->instruction, effect.read, &effect.n_read, effect.written,
		    &effect.n_written)) {
		s->has_other = true;
		return;
	}
	for (uint8_t i = 0; i < effect.n_written; i++)
		if (effect.written[i] != X86_REG_EFLAGS && effect.written[i] != X86_REG_RIP)
			visit(s, &effect, effect.written[i]);
}

static void begin_turn(struct access_search *s)
{
	for (uint32_t i = 0; i < X86_REG_ENDING; i++)
		s->registers[i].origins = s->registers[i].address_origins = 0;
	for (uint32_t i = 0; i < N_GENERAL; i++)
		s->registers[general_registers[i]].origins = 1u << i;
}

/* Returns all registers from which those in the mask are computed, over any number of iterations. */
static uint32_t reach(const uint32_t reached[N_GENERAL], uint32_t mask)
{
	uint32_t all = mask;

	for (uint32_t i = 0; i < N_GENERAL; i++)
		all |= mask & 1u << i ? reached[i] : 0;
	return all;
}

/* Finds registers that are loaded from addresses which were computed, in the same or earlier iterations, from the same
 * registers. */
static void find_chained(struct access_search *s)
{
	uint32_t reached[N_GENERAL];

	for (uint32_t i = 0; i < N_GENERAL; i++)
		reached[i] = s->registers[general_registers[i]].origins;
	/* Warshall's algorithm for the transitive closure */
	for (uint32_t k = 0; k < N_GENERAL; k++)
		for (uint32_t i = 0; i < N_GENERAL; i++)
			reached[i] |= reached[i] & 1u << k ? reached[k] : 0;
	for (uint32_t i = 0; i < N_GENERAL; i++) {
		uint32_t made_of = reach(reached, 1u << i), addresses = 0;

		for (uint32_t k = 0; k < N_GENERAL; k++)
			if (made_of & 1u << k)
				addresses |= s->registers[general_registers[k]].address_origins;
		if (reach(reached, addresses) & 1u << i)
			s->chained |= 1u << i;
	}
}

/* ---- what addresses are made of ---- */

static void add_walked(struct access_search *s, const cs_x86_op *operand)
{
	const x86_op_mem *mem = &operand->mem;
	struct walked *w = s->walked;

	while (w < s->walked + s->n_walked &&
		(w->base != ep_x86_whole_register(mem->base) ||
			w->index != ep_x86_whole_register(mem->index) || w->scale != mem->scale))
		w++;
	if (w == s->walked + MOST_WALKED)
		return;
	if (w == s->walked + s->n_walked)
		s->walked[s->n_walked++] =
			(struct walked){ .base = ep_x86_whole_register(mem->base),
				.index = ep_x86_whole_register(mem->index),
				.scale = mem->scale };
	for (uint32_t i = 0; i < w->n_parts; i++)
		if (w->displacements[i] == mem->disp)
			return;
	if (w->n_parts < MOST_PARTS)
		w->displacements[w->n_parts++] = mem->disp;
	w->n_bytes += operand->size;
}

static void look_at_operand(struct access_search *s, const cs_x86_op *operand)
{
	unsigned int parts[] = { operand->mem.base, operand->mem.index };
	bool is_other = false;

	for (size_t i = 0; i < EP_ARRAY_SIZE(parts); i++) {
		const struct address_register *reg = register_of(s, parts[i]);

		if (!reg->is_written || has_step(reg))
			continue;
		if (reg->is_loaded && !reg->is_of_inner)
			s->seen[reg->origins & s->chained ? EP_ACCESS_LINKED : EP_ACCESS_GATHER] =
				true;
		else
			is_other = true;
	}
	s->has_other |= is_other;
	if (!is_other && ep_x86_whole_register(operand->mem.base) != X86_REG_RSP)
		add_walked(s, operand);
}

/* Looks at the instruction's operands in memory. A jump's table of targets is left out, since it is no data. */
static void look_at_operands(struct access_search *s)
{
	const cs_x86 *x86 = &s->instruction->detail->x86;

	if (s->instruction->id == X86_INS_LEA || s->instruction->id == X86_INS_NOP ||
		cs_insn_group(s->handle, s->instruction, CS_GRP_JUMP))
		return;
	for (uint8_t i = 0; i < x86->op_count; i++)
		if (x86->operands[i].type == X86_OP_MEM && x86->operands[i].size)
			look_at_operand(s, &x86->operands[i]);
}

/* ---- the loop ---- */

/* Visits the instructions of the loop itself, or those of the loops inside. */
static void for_each_instruction(
	struct access_search *s, bool of_inner, void (*visit)(struct access_search *s))
{
	for (uint32_t i = 0; i < s->loops->n_ranges; i++) {
		const struct ep_loop_range *range = &s->loops->ranges[i];
		uint64_t address = range->start;
		const uint8_t *bytes = s->code->bytes + (address - s->code->address);
		size_t n_left = (size_t)(range->end - range->start);
		uint32_t loop = range->loop_idx;

		while (of_inner && loop != EP_NO_LOOP && loop != s->loop_idx)
			loop = s->loops->rows[loop].parent_idx;
		if (loop != s->loop_idx || of_inner == (range->loop_idx == s->loop_idx))
			continue;
		while (n_left &&
			cs_disasm_iter(s->handle, &bytes, &n_left, &address, s->instruction))
			visit(s);
	}
}

static void set_written(
	struct access_search *s, const struct register_effect *effect, unsigned int written)
{
	register_of(s, written)->is_written = true;
}

static void set_written_inside(
	struct access_search *s, const struct register_effect *effect, unsigned int written)
{
	register_of(s, written)->is_written = register_of(s, written)->is_of_inner = true;
}

static void visit_written(struct access_search *s)
{
	s->has_call |= cs_insn_group(s->handle, s->instruction, CS_GRP_CALL);
	for_each_written(s, set_written);
}

static void visit_written_inside(struct access_search *s)
{
	s->has_call |= cs_insn_group(s->handle, s->instruction, CS_GRP_CALL);
	for_each_written(s, set_written_inside);
}

static void visit_registers(struct access_search *s)
{
	for_each_written(s, change_register);
}

/* Takes the operands before the registers, since addresses use the values that registers had before the
 * instruction. */
static void visit_operands(struct access_search *s)
{
	look_at_operands(s);
	for_each_written(s, change_register);
}

#define LINE_BYTES 64

static void judge(struct access_search *s, const struct walked *w)
{
	const struct address_register *base = &s->registers[w->base],
				      *index = &s->registers[w->index];
	int64_t step = base->step + w->scale * index->step;

	if (!has_step(base) || !has_step(index))
		return;
	if (base->is_variable || index->is_variable) {
		s->seen[EP_ACCESS_VARIABLE] = true;
		return;
	}
	step = step < 0 ? -step : step;
	if (step > LINE_BYTES && step > 2 * (int64_t)w->n_bytes)
		s->seen[EP_ACCESS_STRIDED] = true;
	else if (step && step <= 2 * (int64_t)w->n_bytes)
		s->seen[EP_ACCESS_CONTIGUOUS] = true;
	else
		s->has_other |= step != 0;
}

static enum ep_access worst(const struct access_search *s)
{
	for (int access = EP_ACCESS_LINKED; access > EP_ACCESS_CONTIGUOUS; access--)
		if (s->seen[access])
			return (enum ep_access)access;
	return s->seen[EP_ACCESS_CONTIGUOUS] && !s->has_other ? EP_ACCESS_CONTIGUOUS
							      : EP_ACCESS_UNKNOWN;
}

/* Walks the loop twice. Operands are looked at in the second iteration, since only then it is known which registers
 * hold values that the iteration before has loaded. */
static enum ep_access search(struct access_search *s)
{
	struct address_register first[X86_REG_ENDING];

	for_each_instruction(s, false, visit_written);
	for_each_instruction(s, true, visit_written_inside);
	if (s->has_call)
		return EP_ACCESS_UNKNOWN;
	begin_turn(s);
	for_each_instruction(s, false, visit_registers);
	find_chained(s);
	memcpy(first, s->registers, sizeof(first));
	begin_turn(s);
	for_each_instruction(s, false, visit_operands);
	memcpy(s->registers, first, sizeof(first));
	for (uint32_t i = 0; i < s->n_walked; i++)
		judge(s, &s->walked[i]);
	return worst(s);
}

static uint32_t find_loop(const struct ep_loops *loops, uint64_t head)
{
	uint32_t found = EP_NO_LOOP;

	for (uint32_t i = 0; i < loops->n_rows; i++)
		if (loops->rows[i].head == head)
			found = i; /* the last match is the innermost loop */
	return found;
}

static int search_loop(const struct ep_procedure_code *code, const struct ep_loops *loops,
	uint32_t loop_idx, enum ep_access *out)
{
	struct access_search *s = calloc(1, sizeof(*s));
	int rc = s ? ep_code_open(code, &s->handle) : -ENOMEM;

	if (!rc) {
		cs_option(s->handle, CS_OPT_DETAIL, CS_OPT_ON);
		s->instruction = cs_malloc(s->handle);
		s->code = code;
		s->loops = loops;
		s->loop_idx = loop_idx;
		if (s->instruction)
			*out = search(s);
		else
			rc = -ENOMEM;
		if (s->instruction)
			cs_free(s->instruction, 1);
		cs_close(&s->handle);
	}
	free(s);
	return rc;
}

int ep_access_of_loop(const struct ep_procedure_code *code, uint64_t head, enum ep_access *out)
{
	struct ep_loops loops = { 0 };
	uint32_t loop_idx;
	int rc;

	*out = EP_ACCESS_UNKNOWN;
	if (code->machine != EM_X86_64)
		return 0;
	rc = ep_loops_find(code, &loops);
	if (rc)
		return rc;
	loop_idx = find_loop(&loops, head);
	if (loop_idx != EP_NO_LOOP)
		rc = search_loop(code, &loops, loop_idx, out);
	ep_loops_finish(&loops);
	return rc;
}
