// SPDX-License-Identifier: BSD-3-Clause
/* Finds loads that a store buffer cannot forward to, on x86 only: capstone 4 does not tell how many bytes the
 * instructions of other machines load and store. */
#include "reporter/loops/forwarding.h"

#include <capstone/capstone.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/loops/loops_private.h"

/* The number of stores that are remembered. A store buffer has 42 to 72 (Agner Fog, The microarchitecture of
 * Intel, AMD and VIA CPUs), and the last stores of an iteration matter most. */
enum { MOST_STORES = 32 };

/* Bytes in memory. Their address is described by registers, whose values are not known. */
struct reached {
	unsigned int segment, base, index;
	int scale;
	int64_t displacement;
	uint32_t n_bytes;
};

struct forwarding {
	csh handle;
	struct reached stores[MOST_STORES]; /* (n_stores) the latest store is the last */
	uint32_t n_stores;
};

static struct reached place_of(const cs_insn *instruction, const cs_x86_op *operand)
{
	const x86_op_mem *mem = &operand->mem;
	struct reached place = { mem->segment, mem->base, mem->index, mem->scale, mem->disp,
		operand->size };

	if (mem->base == X86_REG_RIP) { /* relative to the next instruction */
		place.base = X86_REG_INVALID;
		place.displacement += (int64_t)(instruction->address + instruction->size);
	}
	return place;
}

static bool has_same_registers(const struct reached *a, const struct reached *b)
{
	return a->segment == b->segment && a->base == b->base && a->index == b->index &&
	       a->scale == b->scale;
}

static bool overlap(const struct reached *a, const struct reached *b)
{
	return has_same_registers(a, b) && a->displacement < b->displacement + b->n_bytes &&
	       b->displacement < a->displacement + a->n_bytes;
}

static bool lies_within(const struct reached *load, const struct reached *store)
{
	return load->displacement >= store->displacement &&
	       load->displacement + load->n_bytes <= store->displacement + store->n_bytes;
}

/* Tells whether the latest store to any byte of a load does not contain all of its bytes. */
static bool is_blocked(const struct forwarding *f, const struct reached *load)
{
	for (uint32_t i = f->n_stores; i-- > 0;)
		if (overlap(load, &f->stores[i]))
			return !lies_within(load, &f->stores[i]);
	return false;
}

unsigned int ep_x86_whole_register(unsigned int reg)
{
	static const unsigned int parts[][5] = {
		{ X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL, X86_REG_AH },
		{ X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL, X86_REG_BH },
		{ X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL, X86_REG_CH },
		{ X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL, X86_REG_DH },
		{ X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL, X86_REG_SIL },
		{ X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL, X86_REG_DIL },
		{ X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL, X86_REG_BPL },
		{ X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL, X86_REG_SPL },
		{ X86_REG_R8, X86_REG_R8D, X86_REG_R8W, X86_REG_R8B, X86_REG_R8B },
		{ X86_REG_R9, X86_REG_R9D, X86_REG_R9W, X86_REG_R9B, X86_REG_R9B },
		{ X86_REG_R10, X86_REG_R10D, X86_REG_R10W, X86_REG_R10B, X86_REG_R10B },
		{ X86_REG_R11, X86_REG_R11D, X86_REG_R11W, X86_REG_R11B, X86_REG_R11B },
		{ X86_REG_R12, X86_REG_R12D, X86_REG_R12W, X86_REG_R12B, X86_REG_R12B },
		{ X86_REG_R13, X86_REG_R13D, X86_REG_R13W, X86_REG_R13B, X86_REG_R13B },
		{ X86_REG_R14, X86_REG_R14D, X86_REG_R14W, X86_REG_R14B, X86_REG_R14B },
		{ X86_REG_R15, X86_REG_R15D, X86_REG_R15W, X86_REG_R15B, X86_REG_R15B },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(parts); i++)
		for (size_t k = 0; k < EP_ARRAY_SIZE(parts[i]); k++)
			if (parts[i][k] == reg)
				return parts[i][0];
	return reg;
}

/* Forgets stores whose address used a register that an instruction has changed, since the register no longer describes
 * their address. */
static void forget_places_by(struct forwarding *f, unsigned int reg)
{
	uint32_t n = 0;

	reg = ep_x86_whole_register(reg);
	for (uint32_t i = 0; i < f->n_stores; i++)
		if (ep_x86_whole_register(f->stores[i].base) != reg &&
			ep_x86_whole_register(f->stores[i].index) != reg)
			f->stores[n++] = f->stores[i];
	f->n_stores = n;
}

static void remember(struct forwarding *f, const struct reached *store)
{
	if (f->n_stores == MOST_STORES)
		memmove(f->stores, f->stores + 1, --f->n_stores * sizeof(*f->stores));
	f->stores[f->n_stores++] = *store;
}

/* Tells whether the instruction is a plain move. capstone 4 wrongly says of some moves of vectors to memory that they
 * read the memory, too. */
static bool is_move(const cs_insn *instruction)
{
	const char *name = instruction->mnemonic + (instruction->mnemonic[0] == 'v');

	return !strncmp(name, "mov", 3);
}

/* Tells whether the instruction reads or writes its memory operand; lea and nop only have its address. */
static bool has_access(const cs_insn *instruction)
{
	return instruction->id != X86_INS_LEA && instruction->id != X86_INS_NOP;
}

/* Takes one instruction: its loads come before its stores, and both before its registers change. */
static bool step(struct forwarding *f, const cs_insn *instruction)
{
	const cs_x86 *x86 = &instruction->detail->x86;
	cs_regs read, written;
	uint8_t n_read, n_written;
	bool blocked = false;

	for (uint8_t i = 0; i < x86->op_count && has_access(instruction); i++) {
		const cs_x86_op *operand = &x86->operands[i];

		if (operand->type != X86_OP_MEM || !operand->size)
			continue;
		struct reached place = place_of(instruction, operand);
		bool is_store = !i && (operand->access & CS_AC_WRITE || is_move(instruction));
		bool is_load = i || (operand->access & CS_AC_READ && !is_move(instruction));

		blocked |= is_load && is_blocked(f, &place);
		if (is_store)
			remember(f, &place);
	}
	if (cs_regs_access(f->handle, instruction, read, &n_read, written, &n_written)) {
		f->n_stores = 0;
		return blocked;
	}
	for (uint8_t i = 0; i < n_written; i++)
		forget_places_by(f, written[i]);
	return blocked;
}

/* ---- along blocks ---- */

/* The number of blocks that are looked at before a block, along the only way that leads to it. */
enum { MOST_BEFORE = 4 };

struct code_walk {
	struct forwarding forwarding;
	const struct ep_procedure_code *code;
	struct ep_code_instructions instructions;
	struct ep_code_blocks blocks;
	cs_insn *instruction;
};

static void finish_walk(struct code_walk *walk)
{
	free(walk->instructions.rows);
	ep_blocks_finish(&walk->blocks);
	if (walk->instruction)
		cs_free(walk->instruction, 1);
	if (walk->forwarding.handle)
		cs_close(&walk->forwarding.handle);
}

/* A call may store to any address, so that stores before it are forgotten. */
static bool is_call(csh handle, const cs_insn *instruction)
{
	return cs_insn_group(handle, instruction, CS_GRP_CALL);
}

/* Walks the block and marks its loads in out. If out is NULL, only the block's stores are remembered. */
static void walk_block(
	struct code_walk *walk, const struct ep_code_block *block, struct ep_listing *out)
{
	struct forwarding *f = &walk->forwarding;
	const cs_insn *instruction = walk->instruction;
	uint64_t address = walk->instructions.rows[block->first].address;
	size_t n_before = (size_t)(address - walk->code->address);
	const uint8_t *bytes = walk->code->bytes + n_before;
	size_t n_left = walk->code->n_bytes - n_before;

	for (uint32_t i = block->first;
		i <= block->last &&
		cs_disasm_iter(f->handle, &bytes, &n_left, &address, walk->instruction);
		i++) {
		bool blocked = instruction->id && step(f, instruction);

		if (out)
			out->rows[i].is_blocked = blocked;
		if (!instruction->id || is_call(f->handle, instruction))
			f->n_stores = 0;
	}
}

/* Returns the only block that leads to b; EP_NO_LOOP if there are several, or if blocks that are not known may lead to
 * b, as through a jump by a table. */
static uint32_t block_before(const struct ep_code_blocks *blocks, uint32_t b)
{
	const struct ep_code_block *block = &blocks->rows[b];
	uint32_t before;

	if (!b || block->n_predecessors != 1)
		return EP_NO_LOOP;
	before = blocks->predecessors[block->first_predecessor];
	return blocks->rows[before].first > blocks->rows[before].last ? EP_NO_LOOP : before;
}

static void mark_block(struct code_walk *walk, uint32_t b, struct ep_listing *out)
{
	uint32_t before[MOST_BEFORE], n = 0;
	uint32_t at = block_before(&walk->blocks, b);

	for (; at != EP_NO_LOOP && at != b && n < MOST_BEFORE; n++) {
		before[n] = at;
		at = block_before(&walk->blocks, at);
	}
	walk->forwarding.n_stores = 0;
	while (n)
		walk_block(walk, &walk->blocks.rows[before[--n]], NULL);
	walk_block(walk, &walk->blocks.rows[b], out);
}

static int prepare(struct code_walk *walk)
{
	int rc = ep_disassemble(walk->code, &walk->instructions);

	if (!rc && walk->instructions.n_rows)
		rc = ep_blocks_create(&walk->instructions, &walk->blocks);
	if (!rc)
		rc = ep_code_open(walk->code, &walk->forwarding.handle);
	if (rc)
		return rc;
	cs_option(walk->forwarding.handle, CS_OPT_DETAIL, CS_OPT_ON);
	walk->instruction = cs_malloc(walk->forwarding.handle);
	return walk->instruction ? 0 : -ENOMEM;
}

int ep_forwarding_mark(const struct ep_procedure_code *code, struct ep_listing *listing)
{
	__attribute__((cleanup(finish_walk))) struct code_walk walk = { .code = code };
	int rc;

	if (code->machine != EM_X86_64 && code->machine != EM_386)
		return 0;
	rc = prepare(&walk);
	if (rc)
		return rc;
	for (uint32_t b = 0; b < walk.blocks.n_rows; b++)
		if (walk.blocks.rows[b].first <= walk.blocks.rows[b].last)
			mark_block(&walk, b, listing);
	return 0;
}
