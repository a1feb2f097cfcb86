// SPDX-License-Identifier: BSD-3-Clause
#include "reporter/facts/marks.h"

void ep_phase_kind_name(uint32_t kind, char out[EP_PHASE_KIND_BYTES])
{
	char reversed[EP_PHASE_KIND_BYTES];
	uint32_t n = 0;

	do {
		reversed[n++] = (char)('A' + kind % 26);
		kind = kind / 26;
	} while (kind-- && n < 6);
	for (uint32_t i = 0; i < n; i++)
		out[i] = reversed[n - 1 - i];
	out[n] = '\0';
}
