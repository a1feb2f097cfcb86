// SPDX-License-Identifier: BSD-3-Clause
/* Decodes a few x86-64 instructions. Runs in the signal handler, and calls nothing. */
#include "restart.h"

#include <string.h>

enum {
	MAX_BACK_BYTES = 48,
	SYSCALL_BYTES = 2,
	LOAD_BYTES = 5, /* mov $number, %eax */
	REX_W = 8,
	REX_R = 4,
	REX_B = 1,
};

/* Returns the size in bytes of a ModRM operand, with its SIB byte and displacement. In libc's wrappers no operand at
 * such a place is relative to the instruction pointer. */
static size_t operand_bytes(const uint8_t *modrm)
{
	unsigned mode = modrm[0] >> 6, base = modrm[0] & 7;
	size_t size = 1;

	if (mode == 3)
		return size;
	if (base == 4) {
		size++;
		if (mode == 0 && (modrm[1] & 7) == 5)
			size += 4;
	} else if (mode == 0 && base == 5) {
		size += 4;
	}
	return size + (mode == 1 ? 1 : mode == 2 ? 4 : 0);
}

/* Returns the size in bytes of the move at code; 0: the instruction is no move, or changes %eax. */
static size_t move_bytes(const uint8_t *code)
{
	unsigned rex = (code[0] & 0xf0) == 0x40 ? code[0] & 15 : 0;
	size_t prefix = (code[0] & 0xf0) == 0x40;
	const uint8_t *modrm = code + prefix + 1;
	unsigned reg = (modrm[0] >> 3 & 7) + (rex & REX_R ? 8 : 0);
	unsigned rm = (modrm[0] & 7) + (rex & REX_B ? 8 : 0);
	bool is_memory = modrm[0] >> 6 != 3;

	switch (code[prefix]) {
	case 0x8b: /* mov r/m, reg */
	case 0x8d: /* lea */
		return reg ? prefix + 1 + operand_bytes(modrm) : 0;
	case 0x89: /* mov reg, r/m */
	case 0x31: /* xor reg, r/m */
		return is_memory || rm ? prefix + 1 + operand_bytes(modrm) : 0;
	case 0xc7: /* mov $constant, r/m */
		return is_memory || rm ? prefix + 1 + operand_bytes(modrm) + 4 : 0;
	}
	if (code[prefix] >> 3 == 0xb8 >> 3 && ((code[prefix] & 7) || rex & REX_B))
		return prefix + 1 + (rex & REX_W ? 8 : 4); /* mov $constant, reg */
	return 0;
}

static bool leads_to(const uint8_t *code, const uint8_t *end)
{
	while (code < end) {
		size_t size = move_bytes(code);

		if (!size)
			return false;
		code += size;
	}
	return code == end;
}

bool ep_restart_number(const uint8_t *next, size_t max_bytes, uint32_t *out_number)
{
	const uint8_t *instruction = next - SYSCALL_BYTES;

	if (max_bytes > MAX_BACK_BYTES)
		max_bytes = MAX_BACK_BYTES;
	if (max_bytes < SYSCALL_BYTES || instruction[0] != 0x0f || instruction[1] != 0x05)
		return false;
	/* a REX prefix before the load may mean %r8d in place of %eax */
	for (size_t back = SYSCALL_BYTES + LOAD_BYTES; back + 1 <= max_bytes; back++) {
		const uint8_t *load = next - back;

		if (load[0] != 0xb8 || (load[-1] & 0xf0) == 0x40 ||
			!leads_to(load + LOAD_BYTES, instruction))
			continue;
		memcpy(out_number, load + 1, sizeof(*out_number));
		return true;
	}
	return false;
}
