// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/loops/loop_access.h"

#include <capstone/capstone.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/loops/loops_private.h"

/* The latest value of a register in the order of addresses, of which a loop's code is one turn. */
enum value {
	VALUE_KEPT,   /* from before the loop */
	VALUE_LOADED, /* from memory, or computed from that */
	VALUE_OTHER,
};

struct address_register {
	bool is_written;
	uint32_t n_changes, n_steps; /* steps are changes, too */
	int64_t step;                /* that a turn adds */
	bool is_variable;            /* a register is added */
	enum value value;
	bool is_link; /* loaded from an address that the value loaded before is part of */
};

enum { MOST_WALKED = 64, MOST_PARTS = 32 };

/* Operands of one address but for the displacement are elements of one array. */
struct walked {
	unsigned int base, index;
	int scale;
	int64_t displacements[MOST_PARTS]; /* (n_parts) */
	uint32_t n_parts;
	uint32_t n_bytes; /* of all parts */
};

struct access_search {
	csh handle;
	cs_insn *instruction;
	const struct ep_procedure_code *code;
	const struct ep_loops *loops;
	uint32_t loop_idx;
	struct address_register registers[X86_REG_ENDING];
	struct walked walked[MOST_WALKED];
	uint32_t n_walked;
	bool has_call, has_other;
	bool seen[EP_N_ACCESSES];
};

/* Tells whether nothing but steps changes it. */
static bool has_step(const struct address_register *reg)
{
	return reg->n_steps == reg->n_changes;
}

static struct address_register *register_of(struct access_search *s, unsigned int reg)
{
	return &s->registers[ep_x86_whole_register(reg)];
}

/* ---- what a turn does to registers ---- */

/* The step of an instruction that adds to its own register; false: it is none. */
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

static bool is_load(const cs_insn *instruction)
{
	const cs_x86 *x86 = &instruction->detail->x86;

	return x86->op_count == 2 && x86->operands[1].type == X86_OP_MEM &&
	       !strncmp(instruction->mnemonic, "mov", 3);
}

static bool reads_loaded(struct access_search *s, const cs_insn *instruction)
{
	const cs_x86 *x86 = &instruction->detail->x86;

	for (uint8_t i = 0; i < x86->op_count; i++)
		if (x86->operands[i].type == X86_OP_REG &&
			register_of(s, x86->operands[i].reg)->value == VALUE_LOADED)
			return true;
	return false;
}

/* One place may hold a variable that had no room in a register: nothing is known of what it holds. */
static bool is_of_one_place(struct access_search *s, const x86_op_mem *mem)
{
	return !register_of(s, mem->base)->is_written && !register_of(s, mem->index)->is_written;
}

static void change_value(
	struct access_search *s, const cs_insn *instruction, struct address_register *reg)
{
	const cs_x86_op *operands = instruction->detail->x86.operands;

	if (is_load(instruction)) {
		const x86_op_mem *mem = &operands[1].mem;

		reg->is_link =
			reg->value == VALUE_LOADED &&
			(register_of(s, mem->base) == reg || register_of(s, mem->index) == reg);
		reg->value = is_of_one_place(s, mem) ? VALUE_OTHER : VALUE_LOADED;
		return;
	}
	reg->is_link = false;
	reg->value = reads_loaded(s, instruction) ? VALUE_LOADED : VALUE_OTHER;
}

static void change_register(
	struct access_search *s, const cs_insn *instruction, unsigned int written)
{
	const cs_x86_op *first = &instruction->detail->x86.operands[0];
	struct address_register *reg = register_of(s, written);
	int64_t step;
	bool is_variable;

	reg->n_changes++;
	if (first->type == X86_OP_REG &&
		ep_x86_whole_register(first->reg) == ep_x86_whole_register(written) &&
		find_step(instruction, &step, &is_variable) && reg->value != VALUE_LOADED) {
		reg->step += step;
		reg->is_variable |= is_variable;
		reg->n_steps++;
		return;
	}
	change_value(s, instruction, reg);
}

static void for_each_written(struct access_search *s,
	void (*visit)(struct access_search *s, const cs_insn *instruction, unsigned int written))
{
	cs_regs read, written;
	uint8_t n_read, n_written;

	if (cs_regs_access(s->handle, s->instruction, read, &n_read, written, &n_written)) {
		s->has_other = true;
		return;
	}
	for (uint8_t i = 0; i < n_written; i++)
		if (written[i] != X86_REG_EFLAGS)
			visit(s, s->instruction, written[i]);
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
		unsigned int whole = ep_x86_whole_register(parts[i]);

		if (whole == X86_REG_INVALID || whole == X86_REG_RIP || !reg->is_written ||
			has_step(reg))
			continue;
		if (reg->value == VALUE_LOADED)
			s->seen[reg->is_link ? EP_ACCESS_LINKED : EP_ACCESS_GATHER] = true;
		else
			is_other = true;
	}
	s->has_other |= is_other;
	if (!is_other && ep_x86_whole_register(operand->mem.base) != X86_REG_RSP)
		add_walked(s, operand);
}

static void look_at_operands(struct access_search *s)
{
	const cs_x86 *x86 = &s->instruction->detail->x86;

	if (s->instruction->id == X86_INS_LEA || s->instruction->id == X86_INS_NOP)
		return;
	for (uint8_t i = 0; i < x86->op_count; i++)
		if (x86->operands[i].type == X86_OP_MEM && x86->operands[i].size)
			look_at_operand(s, &x86->operands[i]);
}

/* ---- the loop ---- */

static void for_each_instruction(struct access_search *s, void (*visit)(struct access_search *s))
{
	for (uint32_t i = 0; i < s->loops->n_ranges; i++) {
		const struct ep_loop_range *range = &s->loops->ranges[i];
		uint64_t address = range->start;
		const uint8_t *bytes = s->code->bytes + (address - s->code->address);
		size_t n_left = (size_t)(range->end - range->start);

		if (range->loop_idx != s->loop_idx)
			continue;
		while (n_left &&
			cs_disasm_iter(s->handle, &bytes, &n_left, &address, s->instruction))
			visit(s);
	}
}

static void set_written(struct access_search *s, const cs_insn *instruction, unsigned int written)
{
	register_of(s, written)->is_written = true;
}

static void visit_written(struct access_search *s)
{
	s->has_call |= cs_insn_group(s->handle, s->instruction, CS_GRP_CALL);
	for_each_written(s, set_written);
}

static void visit_registers(struct access_search *s)
{
	for_each_written(s, change_register);
}

/* Addresses are of the values before the instruction. */
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
		s->seen[EP_ACCESS_STRIDED] = true;
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

/* Operands are looked at in the third turn, which begins with the values that others end with. */
static enum ep_access search(struct access_search *s)
{
	struct address_register first[X86_REG_ENDING];

	for_each_instruction(s, visit_written);
	if (s->has_call)
		return EP_ACCESS_UNKNOWN;
	for_each_instruction(s, visit_registers);
	memcpy(first, s->registers, sizeof(first));
	for_each_instruction(s, visit_registers);
	for_each_instruction(s, visit_operands);
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
			found = i; /* the innermost is the last */
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
