// SPDX-License-Identifier: BSD-3-Clause
/* Sets of CPUs. */
#include "reporter/facts/cpu_list.h"

#include <stddef.h>
#include <stdlib.h>

#include "common/cleanup.h"

/* Reads a number. Returns the text after the number; NULL: there is no valid number. */
static const char *take_cpu(const char *text, uint32_t *out_cpu)
{
	unsigned long cpu;
	char *end;

	if (*text < '0' || *text > '9')
		return NULL;
	cpu = strtoul(text, &end, 10);
	*out_cpu = (uint32_t)cpu;
	return cpu < EP_CPU_LIST_MAX ? end : NULL;
}

bool ep_cpu_list_add(struct ep_cpu_list *list, const char *text)
{
	uint32_t first, last;

	for (;;) {
		text = take_cpu(text, &first);
		last = first;
		if (text && *text == '-')
			text = take_cpu(text + 1, &last);
		if (!text)
			return false;
		for (uint32_t cpu = first; cpu <= last; cpu++)
			list->bits[cpu / 64] |= 1ull << (cpu % 64);
		if (!*text)
			return true;
		if (*text++ != ',')
			return false;
	}
}

uint32_t ep_cpu_list_count(const struct ep_cpu_list *list)
{
	uint32_t n = 0;

	for (size_t i = 0; i < EP_ARRAY_SIZE(list->bits); i++)
		n += (uint32_t)__builtin_popcountll(list->bits[i]);
	return n;
}
