// SPDX-License-Identifier: BSD-3-Clause
/*
 * Recognizes loops that only wait for another thread to write to memory. Such a loop reads the same address again and
 * again, writes only registers, and computes no address. Only a short list of instructions is decoded, since such
 * loops have no others; a loop with any other instruction is not recognized. The code is for x86-64 (Intel's manual,
 * volume 2: 2.1 instruction formats, appendix A opcode maps).
 */
#include <gelf.h>
#include <string.h>

#include "common/cleanup.h"
#include "reporter/symbolize/symbolize_private.h"

#define MAX_LOOP_BYTES 64

/* The effect of one instruction, or of all instructions from the loop's start on. */
struct effect {
	uint32_t written, addressed; /* registers written, and those in addresses; a bit for each */
	bool reads_memory;
};

/* The state of decoding: code[at ..] is not decoded yet. */
struct decoder {
	const uint8_t *code;
	size_t n, at, start;
	uint8_t rex;
	struct effect effect;
	int64_t target; /* index in code that a jump leads to */
	bool is_jump;
};

static int next_byte(struct decoder *d)
{
	return d->at < d->n ? d->code[d->at++] : -1;
}

static bool skip(struct decoder *d, size_t n)
{
	d->at += n;
	return d->at <= d->n;
}

static uint32_t bit_of(int number, bool is_extended)
{
	return UINT32_C(1) << (number | (is_extended ? 8 : 0));
}

/* How an instruction uses its operands "register" and "register or memory". */
enum use {
	LOAD,
	COMPARE,
	CHANGE_RM,
	CHANGE_REG,
	NOTHING,
	GROUP_ARITHMETIC,
	GROUP_TEST,
	GROUP_STEP,
	ADDRESS
};

static bool address_registers(struct decoder *d, int mod, int rm)
{
	int sib = rm == 4 ? next_byte(d) : 0;

	if (sib < 0)
		return false;
	if (rm == 4) {
		int index = sib >> 3 & 7, base = sib & 7;

		if (index != 4 || (d->rex & 2))
			d->effect.addressed |= bit_of(index, d->rex & 2);
		if (mod == 0 && base == 5)
			return skip(d, 4);
		d->effect.addressed |= bit_of(base, d->rex & 1);
	} else if (mod == 0 && rm == 5) { /* relative to the instruction pointer */
		return skip(d, 4);
	} else {
		d->effect.addressed |= bit_of(rm, d->rex & 1);
	}
	return skip(d, mod == 1 ? 1 : mod == 2 ? 4 : 0);
}

/* Tells whether an instruction only compares: cmp and test, also in the groups of opcodes. */
static bool is_comparison(enum use use, int operation)
{
	return use == COMPARE || (use == GROUP_ARITHMETIC && operation == 7) ||
	       (use == GROUP_TEST && operation == 0);
}

static bool operands(struct decoder *d, enum use use, size_t n_immediate)
{
	int modrm = next_byte(d), mod = modrm >> 6, reg = modrm >> 3 & 7, rm = modrm & 7;
	uint32_t reg_bit = bit_of(reg, d->rex & 4), rm_bit = bit_of(rm, d->rex & 1);

	if (modrm < 0 || (use == GROUP_TEST && reg) || (use == GROUP_STEP && reg > 1))
		return false;
	if (mod != 3) {
		if (!address_registers(d, mod, rm))
			return false;
		if (use == NOTHING || use == ADDRESS)
			d->effect.addressed = 0;
		else if (use == LOAD || is_comparison(use, reg))
			d->effect.reads_memory = true;
		else
			return false; /* memory would be written, or used in a computation */
	}
	if (use == LOAD || use == CHANGE_REG || use == ADDRESS)
		d->effect.written |= reg_bit;
	else if (use != NOTHING && !is_comparison(use, reg))
		d->effect.written |= rm_bit;
	return skip(d, n_immediate);
}

static bool jump(struct decoder *d, size_t n_bytes)
{
	int8_t near;
	int32_t far;

	if (d->at + n_bytes > d->n)
		return false;
	memcpy(&near, d->code + d->at, 1);
	if (n_bytes == 4)
		memcpy(&far, d->code + d->at, 4);
	d->at += n_bytes;
	d->target = (int64_t)d->at + (n_bytes == 4 ? far : near);
	d->is_jump = true;
	return true;
}

struct form {
	uint8_t opcode, mask; /* the form has all opcodes that equal opcode under mask */
	enum use use;
	uint8_t n_immediate;
};

static bool two_byte_opcode(struct decoder *d)
{
	static const struct form forms[] = {
		{ 0x1f, 0xff, NOTHING, 0 }, /* a nop of several bytes */
		{ 0xb6, 0xf6, LOAD, 0 },    /* movzx, movsx */
	};
	int opcode = next_byte(d);

	if (opcode >= 0x80 && opcode <= 0x8f)
		return jump(d, 4);
	for (size_t i = 0; i < EP_ARRAY_SIZE(forms); i++)
		if (opcode >= 0 && (opcode & forms[i].mask) == forms[i].opcode)
			return operands(d, forms[i].use, forms[i].n_immediate);
	return false;
}

static bool one_byte_opcode(struct decoder *d, int opcode)
{
	static const struct form forms[] = {
		{ 0x8a, 0xfe, LOAD, 0 },      /* mov from memory or a register */
		{ 0x63, 0xff, LOAD, 0 },      /* movsxd */
		{ 0x89, 0xff, CHANGE_RM, 0 }, /* mov to a register; mov to memory is refused */
		{ 0x38, 0xfc, COMPARE, 0 },   /* cmp */
		{ 0x84, 0xfe, COMPARE, 0 },   /* test */
		{ 0x83, 0xff, GROUP_ARITHMETIC, 1 }, /* add, sub, and, cmp, ... with an immediate */
		{ 0x81, 0xff, GROUP_ARITHMETIC, 4 }, { 0x80, 0xff, GROUP_ARITHMETIC, 1 },
		{ 0xf6, 0xff, GROUP_TEST, 1 }, { 0xf7, 0xff, GROUP_TEST, 4 },
		{ 0xff, 0xff, GROUP_STEP, 0 }, /* inc, dec */
		{ 0x01, 0xc7, CHANGE_RM, 0 },  /* add, or, and, sub, xor; adc and sbb as well */
		{ 0x8d, 0xff, ADDRESS, 0 },    /* lea */
	};

	if (opcode == 0x90) /* nop; with a prefix, pause */
		return true;
	if ((opcode >= 0x70 && opcode <= 0x7f) || opcode == 0xeb)
		return jump(d, 1);
	if (opcode == 0xe9)
		return jump(d, 4);
	if (opcode == 0x3c || opcode == 0xa8) /* cmp or test of al with an immediate */
		return skip(d, 1);
	if (opcode == 0x3d || opcode == 0xa9)
		return skip(d, 4);
	for (size_t i = 0; opcode >= 0 && i < EP_ARRAY_SIZE(forms); i++)
		if ((opcode & forms[i].mask) == forms[i].opcode)
			return operands(d, forms[i].use, forms[i].n_immediate);
	return false;
}

/* Decodes the instruction at d->at and moves d->at to the next one. Returns false if waiting loops have no such
 * instruction. */
static bool decode(struct decoder *d)
{
	bool is_repeated = false, is_short = false;
	int byte;

	d->start = d->at;
	d->rex = 0;
	d->effect = (struct effect){ 0 };
	d->is_jump = false;
	for (byte = next_byte(d); byte == 0x66 || byte == 0xf3 || byte == 0x2e;
		byte = next_byte(d)) {
		is_repeated |= byte == 0xf3;
		is_short |= byte == 0x66;
	}
	if (byte >= 0x40 && byte <= 0x4f) {
		d->rex = (uint8_t)byte;
		byte = next_byte(d);
	}
	if (is_short && (byte == 0x81 || byte == 0xf7 || byte == 0x3d || byte == 0xa9))
		return false; /* with the prefix 0x66 these have an immediate of two bytes */
	if (is_repeated && byte != 0x90)
		return false;
	return byte == 0x0f ? two_byte_opcode(d) : one_byte_opcode(d, byte);
}

/* Tells whether a waiting loop begins at start and contains the instruction at `at`. */
static bool loops(const uint8_t *code, size_t n, size_t start, size_t at)
{
	struct decoder d = { .code = code, .n = n, .at = start };
	struct effect all = { 0 };
	bool holds = false;

	while (d.at < n && d.at < start + MAX_LOOP_BYTES && decode(&d)) {
		holds |= d.start == at;
		all.written |= d.effect.written;
		all.addressed |= d.effect.addressed;
		all.reads_memory |= d.effect.reads_memory;
		if (!d.is_jump || d.target >= (int64_t)d.at)
			continue; /* a forward jump leaves the loop */
		return d.target == (int64_t)start && holds && all.reads_memory &&
		       !(all.written & all.addressed);
	}
	return false;
}

bool ep_wait_loop_holds(const uint8_t *code, size_t n, size_t at)
{
	size_t first = at > MAX_LOOP_BYTES ? at - MAX_LOOP_BYTES : 0;

	for (size_t start = at + 1; start-- > first;)
		if (loops(code, n, start, at))
			return true;
	return false;
}

bool ep_wait_loop_at(Elf *elf, uint64_t address)
{
	GElf_Ehdr ehdr;
	GElf_Shdr header;

	if (!elf || !gelf_getehdr(elf, &ehdr) || ehdr.e_machine != EM_X86_64)
		return false;
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_PROGBITS ||
			!(header.sh_flags & SHF_EXECINSTR) || address < header.sh_addr ||
			address - header.sh_addr >= header.sh_size)
			continue;
		data = elf_getdata(section, NULL);
		return data && data->d_buf && address - header.sh_addr < data->d_size &&
		       ep_wait_loop_holds(data->d_buf, data->d_size, address - header.sh_addr);
	}
	return false;
}
