// SPDX-License-Identifier: BSD-3-Clause
/* Call instructions and linkage stubs of x86-64 (Intel SDM volume 2, CALL and JMP; psABI 5.2.4).
 * Runs in signal handlers. */
#include "preload/unwind/call_site.h"

#include <string.h>

/* Returns the size in bytes of the instruction ff /2 (an indirect call) at an address, with its operand; 0: another
 * instruction is there. */
static unsigned indirect_bytes(const uint8_t *at)
{
	static const uint8_t displacement[] = { 0, 1, 4, 0 };
	unsigned mod = at[1] >> 6, rm = at[1] & 7, size = 2 + displacement[mod];

	if (at[0] != 0xff || (at[1] >> 3 & 7) != 2)
		return 0;
	if (mod == 3)
		return 2;
	if (mod == 0 && rm == 5)
		return 6;
	if (rm != 4)
		return size;
	return size + 1 + (mod == 0 && (at[2] & 7) == 5 ? 4 : 0);
}

enum ep_call_site ep_call_site_before(const uint8_t bytes[EP_CALL_BYTES], int64_t *out_distance)
{
	int32_t distance;

	if (bytes[EP_CALL_BYTES - 5] == 0xe8) {
		memcpy(&distance, bytes + EP_CALL_BYTES - 4, sizeof(distance));
		*out_distance = distance;
		return EP_CALL_DIRECT;
	}
	for (unsigned size = 2; size <= 7; size++) {
		uint8_t instruction[8] = { 0 };

		memcpy(instruction, bytes + EP_CALL_BYTES - size, size);
		if (indirect_bytes(instruction) == size)
			return EP_CALL_INDIRECT;
	}
	return EP_CALL_NONE;
}

int64_t ep_stub_slot(const uint8_t bytes[EP_STUB_BYTES])
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	unsigned at = memcmp(bytes, endbr64, sizeof(endbr64)) ? 0 : sizeof(endbr64);
	int32_t distance;

	at += bytes[at] == 0xf2; /* the prefix bnd */
	if (bytes[at] != 0xff || bytes[at + 1] != 0x25)
		return 0;
	memcpy(&distance, bytes + at + 2, sizeof(distance));
	return (int64_t)at + 6 + distance;
}
