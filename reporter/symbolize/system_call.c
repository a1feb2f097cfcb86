// SPDX-License-Identifier: BSD-3-Clause
/* Finds out whether a thread at an address has just come from a system call, by the instruction before that
 * address. */
#include <string.h>

#include "common/cleanup.h"
#include "reporter/symbolize/symbolize_private.h"

/* The bytes of the instructions that make a system call; those of POWER are in the order of little-endian CPUs. */
static const struct {
	uint16_t machine;
	uint8_t n_bytes, bytes[4];
} instructions[] = {
	{ EM_X86_64, 2, { 0x0f, 0x05 } },              /* syscall */
	{ EM_AARCH64, 4, { 0x01, 0x00, 0x00, 0xd4 } }, /* svc #0 */
	{ EM_PPC64, 4, { 0x02, 0x00, 0x00, 0x44 } },   /* sc */
	{ EM_PPC64, 4, { 0x01, 0x00, 0x00, 0x44 } },   /* scv 0 */
};

bool ep_system_call_ends_at(Elf *elf, uint64_t address)
{
	const size_t n_max = sizeof(instructions[0].bytes);
	struct ep_procedure_code code;

	if (address < n_max || !ep_code_of_file(elf, address - n_max, address, &code))
		return false;
	for (size_t i = 0; i < EP_ARRAY_SIZE(instructions); i++) {
		size_t n = instructions[i].n_bytes;

		if (code.machine == instructions[i].machine &&
			!memcmp(code.bytes + n_max - n, instructions[i].bytes, n))
			return true;
	}
	return false;
}
