/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets of CPUs as the kernel writes them: "0-3,8". */
#ifndef EVPROF_REPORTER_FACTS_CPU_LIST_H
#define EVPROF_REPORTER_FACTS_CPU_LIST_H

#include <stdbool.h>
#include <stdint.h>

#define EP_CPU_LIST_MAX 8192 /* the most CPUs, which is the kernel's own limit */

struct ep_cpu_list {
	uint64_t bits[EP_CPU_LIST_MAX / 64];
};

/* Adds the CPUs of text to list. Returns false if text is not a valid list; some CPUs may have been added then. */
bool ep_cpu_list_add(struct ep_cpu_list *list, const char *text);
uint32_t ep_cpu_list_count(const struct ep_cpu_list *list);

#endif
