// SPDX-License-Identifier: BSD-3-Clause
/* Finds out where each instruction leads. */
#include <capstone/capstone.h>
#include <elf.h>
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/loops/loops_private.h"

#include "common/cleanup.h"
#include "common/containers/array.h"

/* Capstone numbers registers from 1; each machine has fewer than this number. */
#define N_REGISTERS 512

/* How a register got its content, which tells what a jump to the register does. If the value was looked up by an index
 * or is a sum, the jump is one by a table. If the value was loaded or copied, the jump is a call through a pointer at
 * the end of the procedure (a tail call). */
enum content {
	/* not set since the last jump. A jump is then taken for one by a table, since the address of a call is set
	 * shortly before */
	UNKNOWN,
	COMPUTED,
	COPIED,
};

/* The current instruction, and what the registers were set to since the last jump that is always taken. */
struct reading {
	const cs_insn *instruction;
	bool is_big_endian;
	/* the stack frame was removed, so that a jump to a register leads out of the procedure */
	bool is_leaving;
	enum content registers[N_REGISTERS];
};

struct instruction_set {
	uint16_t elf;
	cs_arch arch;
	cs_mode mode;
	void (*read_flow)(struct reading *reading, struct ep_code_instruction *out);
};

static bool is_of(const cs_insn *instruction, uint8_t group)
{
	for (uint8_t i = 0; i < instruction->detail->groups_count; i++)
		if (instruction->detail->groups[i] == group)
			return true;
	return false;
}

static void set(struct reading *reading, unsigned int to, enum content content)
{
	if (to < N_REGISTERS)
		reading->registers[to] = content;
}

static enum ep_flow flow_to_register(const struct reading *reading, unsigned int to)
{
	bool is_call =
		reading->is_leaving || (to < N_REGISTERS && reading->registers[to] == COPIED);

	return is_call ? EP_FLOW_END : EP_FLOW_AWAY;
}

/* ---- x86 ---- */

static bool is_x86_end(const cs_insn *instruction)
{
	return is_of(instruction, CS_GRP_RET) || is_of(instruction, CS_GRP_IRET) ||
	       instruction->id == X86_INS_HLT || instruction->id == X86_INS_UD2;
}

static void jump_x86(const struct reading *reading, struct ep_code_instruction *out)
{
	const cs_insn *instruction = reading->instruction;
	const cs_x86_op *to = &instruction->detail->x86.operands[0];
	bool is_always = instruction->id == X86_INS_JMP || instruction->id == X86_INS_LJMP;

	if (to->type == X86_OP_IMM) {
		out->target = (uint64_t)to->imm;
		out->flow = is_always ? EP_FLOW_JUMP : EP_FLOW_BRANCH;
	} else if (to->type == X86_OP_MEM) {
		out->flow = to->mem.index != X86_REG_INVALID ? EP_FLOW_AWAY : EP_FLOW_END;
	} else {
		out->flow = flow_to_register(reading, to->reg);
	}
}

static bool is_stack_pointer(x86_reg reg)
{
	return reg == X86_REG_RSP || reg == X86_REG_ESP;
}

static bool is_stack(x86_reg reg)
{
	return is_stack_pointer(reg) || reg == X86_REG_RBP || reg == X86_REG_EBP;
}

static enum content loaded_x86(const cs_x86_op *from)
{
	if (from->mem.index != X86_REG_INVALID)
		return COMPUTED;
	/* any instruction may have stored the value to the stack */
	return is_stack(from->mem.base) ? UNKNOWN : COPIED;
}

static void write_x86(struct reading *reading)
{
	const cs_insn *instruction = reading->instruction;
	const cs_x86 *x86 = &instruction->detail->x86;
	const cs_x86_op *to = &x86->operands[0], *from = &x86->operands[1];
	bool is_add = instruction->id == X86_INS_ADD;

	if (instruction->id == X86_INS_POP || instruction->id == X86_INS_LEAVE ||
		(is_add && to->type == X86_OP_REG && is_stack_pointer(to->reg)))
		reading->is_leaving = true;
	if (x86->op_count != 2 || to->type != X86_OP_REG)
		return;
	if (instruction->id == X86_INS_LEA || (is_add && from->type == X86_OP_REG))
		set(reading, to->reg, COMPUTED);
	else
		set(reading, to->reg, from->type == X86_OP_MEM ? loaded_x86(from) : COPIED);
}

static void read_x86(struct reading *reading, struct ep_code_instruction *out)
{
	const cs_insn *instruction = reading->instruction;

	if (instruction->id == X86_INS_NOP || instruction->id == X86_INS_INT3)
		out->flow = EP_FLOW_PADDING;
	else if (is_x86_end(instruction))
		out->flow = EP_FLOW_END;
	else if (is_of(instruction, CS_GRP_JUMP) || instruction->id == X86_INS_LOOP ||
		 instruction->id == X86_INS_LOOPE || instruction->id == X86_INS_LOOPNE)
		jump_x86(reading, out);
	else
		write_x86(reading);
}

/* ---- AArch64 ---- */

static void jump_arm64(const struct reading *reading, struct ep_code_instruction *out)
{
	const cs_arm64 *arm64 = &reading->instruction->detail->arm64;
	const cs_arm64_op *last = &arm64->operands[arm64->op_count - 1];
	bool is_always = reading->instruction->id == ARM64_INS_B &&
			 (arm64->cc == ARM64_CC_INVALID || arm64->cc == ARM64_CC_AL);

	if (last->type == ARM64_OP_IMM) {
		out->target = (uint64_t)last->imm;
		out->flow = is_always ? EP_FLOW_JUMP : EP_FLOW_BRANCH;
	} else {
		out->flow = flow_to_register(reading, last->reg);
	}
}

static void write_arm64(struct reading *reading)
{
	const cs_arm64 *arm64 = &reading->instruction->detail->arm64;
	const cs_arm64_op *to = &arm64->operands[0], *last;
	bool is_lookup, is_sum;

	if (arm64->op_count < 2 || to->type != ARM64_OP_REG)
		return;
	last = &arm64->operands[arm64->op_count - 1];
	is_lookup = last->type == ARM64_OP_MEM && last->mem.index != ARM64_REG_INVALID;
	is_sum = last->type == ARM64_OP_REG && reading->instruction->id == ARM64_INS_ADD;
	set(reading, to->reg, is_lookup || is_sum ? COMPUTED : COPIED);
}

static void read_arm64(struct reading *reading, struct ep_code_instruction *out)
{
	const cs_insn *instruction = reading->instruction;
	bool is_call = instruction->id == ARM64_INS_BL || instruction->id == ARM64_INS_BLR;

	if (instruction->id == ARM64_INS_NOP)
		out->flow = EP_FLOW_PADDING;
	else if (is_of(instruction, CS_GRP_RET))
		out->flow = EP_FLOW_END;
	else if (is_of(instruction, CS_GRP_JUMP) && !is_call && instruction->detail->arm64.op_count)
		jump_arm64(reading, out);
	else if (!is_call)
		write_arm64(reading);
}

/* ---- POWER ---- */

static int64_t sign_extend(uint32_t value, int n_bits)
{
	return (int64_t)((uint64_t)value << (64 - n_bits)) >> (64 - n_bits);
}

static uint32_t word_of(const uint8_t bytes[4], bool is_big_endian)
{
	uint32_t word;

	memcpy(&word, bytes, sizeof(word));
	return is_big_endian ? be32toh(word) : le32toh(word);
}

enum {
	PPC_NOP = 0x60000000, /* ori 0,0,0 */
	PPC_BRANCH_IF = 16,
	PPC_BRANCH = 18,
	PPC_BRANCH_TO = 19, /* a branch to the register that one of the next two codes names */
	PPC_LINK = 16,
	PPC_COUNT = 528,
	PPC_COMPUTE = 31, /* an operation with registers, which one of the next codes names */
	PPC_ADD = 266,
	PPC_LOAD_INDEXED = 21,
	PPC_MOVE_TO = 467,
	PPC_COUNT_IS = 9 << 16 | PPC_MOVE_TO << 1,
	COUNT = 32, /* number of the count register here; general registers have lower numbers */
};

static void jump_ppc(const struct reading *reading, uint32_t word, struct ep_code_instruction *out)
{
	uint32_t opcode = word >> 26, to = word >> 1 & 0x3ff;
	bool is_absolute = word & 2, is_always = (word >> 21 & 0x14) == 0x14;

	if (opcode == PPC_BRANCH_TO) {
		if (is_always && to == PPC_LINK)
			out->flow = EP_FLOW_END;
		else if (is_always && to == PPC_COUNT)
			out->flow = flow_to_register(reading, COUNT);
		return;
	}
	out->target = (uint64_t)(opcode == PPC_BRANCH ? sign_extend(word & 0x03fffffc, 26)
						      : sign_extend(word & 0xfffc, 16));
	if (!is_absolute)
		out->target += reading->instruction->address;
	out->flow = opcode == PPC_BRANCH || is_always ? EP_FLOW_JUMP : EP_FLOW_BRANCH;
}

static void write_ppc(struct reading *reading, uint32_t word)
{
	uint32_t to = word >> 21 & 31, operation = word >> 1 & 0x3ff;

	if (word >> 26 != PPC_COMPUTE)
		return;
	if ((word & 0x001ffffe) == PPC_COUNT_IS)
		reading->registers[COUNT] = reading->registers[to];
	else
		set(reading, to,
			operation == PPC_ADD || operation == PPC_LOAD_INDEXED ? COMPUTED : COPIED);
}

/* Reads the flow from the instruction word itself (Power ISA 3.0, section 2.4), since capstone 4 puts conditional
 * branches into no group. */
static void read_ppc(struct reading *reading, struct ep_code_instruction *out)
{
	uint32_t word = word_of(reading->instruction->bytes, reading->is_big_endian);
	uint32_t opcode = word >> 26;
	bool is_branch = opcode == PPC_BRANCH_IF || opcode == PPC_BRANCH || opcode == PPC_BRANCH_TO;
	bool is_call = word & 1;

	if (word == PPC_NOP)
		out->flow = EP_FLOW_PADDING;
	else if (is_branch && !is_call)
		jump_ppc(reading, word, out);
	else if (!is_branch)
		write_ppc(reading, word);
}

/* ---- all ---- */

static const struct instruction_set sets[] = {
	{ EM_X86_64, CS_ARCH_X86, CS_MODE_64, read_x86 },
	{ EM_386, CS_ARCH_X86, CS_MODE_32, read_x86 },
	{ EM_AARCH64, CS_ARCH_ARM64, CS_MODE_ARM, read_arm64 },
	{ EM_PPC64, CS_ARCH_PPC, CS_MODE_64, read_ppc },
};

static const struct instruction_set *find_set(const struct ep_procedure_code *code)
{
	for (size_t i = 0; i < EP_ARRAY_SIZE(sets); i++)
		if (sets[i].elf == code->machine)
			return &sets[i];
	return NULL;
}

static int append(struct ep_code_instructions *list, const struct ep_code_instruction *instruction)
{
	if (EP_ARRAY_RESERVE(list->rows, list->n_rows, list->capacity))
		return -ENOMEM;
	list->rows[list->n_rows++] = *instruction;
	return 0;
}

static void forget(struct reading *reading)
{
	memset(reading->registers, 0, sizeof(reading->registers));
	reading->is_leaving = false;
}

static int read_all(csh handle, const struct instruction_set *set,
	const struct ep_procedure_code *code, cs_insn *instruction,
	struct ep_code_instructions *out)
{
	const uint8_t *bytes = code->bytes;
	struct reading reading = { .instruction = instruction,
		.is_big_endian = code->is_big_endian };
	size_t n_left = code->n_bytes;
	uint64_t address = code->address;
	int rc = 0;

	while (!rc && cs_disasm_iter(handle, &bytes, &n_left, &address, instruction)) {
		struct ep_code_instruction row = {
			.address = instruction->address,
			.n_bytes = instruction->size,
			.flow = EP_FLOW_ON,
		};

		if (instruction->id) /* bytes that are no instruction have no detail */
			set->read_flow(&reading, &row);
		if (row.flow == EP_FLOW_JUMP || row.flow == EP_FLOW_AWAY || row.flow == EP_FLOW_END)
			forget(&reading);
		rc = append(out, &row);
	}
	return rc;
}

/* Returns capstone's mode. Instructions of AArch64 are little-endian, even where data are big-endian. */
static cs_mode mode_of(const struct instruction_set *set, const struct ep_procedure_code *code)
{
	bool has_other_order = set->arch == CS_ARCH_PPC && code->is_big_endian;

	return has_other_order ? set->mode | CS_MODE_BIG_ENDIAN : set->mode;
}

int ep_code_open(const struct ep_procedure_code *code, size_t *out_handle)
{
	const struct instruction_set *set = find_set(code);

	if (!set || cs_open(set->arch, mode_of(set, code), out_handle) != CS_ERR_OK)
		return -ENOTSUP;
	cs_option(*out_handle, CS_OPT_SKIPDATA, CS_OPT_ON);
	return 0;
}

int ep_disassemble(const struct ep_procedure_code *code, struct ep_code_instructions *out)
{
	const struct instruction_set *set = find_set(code);
	cs_insn *instruction;
	int rc = -ENOMEM;
	csh handle;

	if (ep_code_open(code, &handle))
		return -ENOTSUP;
	cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
	instruction = cs_malloc(handle);
	if (instruction) {
		rc = read_all(handle, set, code, instruction, out);
		cs_free(instruction, 1);
	}
	cs_close(&handle);
	return rc;
}
