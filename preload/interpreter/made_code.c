// SPDX-License-Identifier: BSD-3-Clause
#include "made_code.h"

#include <stdatomic.h>

#include "common/os/large.h"
#include "common/os/slice_code.h"

#define N_SLOTS 2048
#define MAX_PROBES 64
#define PAGE_BITS 12
#define MAX_PAGES                                                                                  \
	256 /* pages of one function; a larger function's name is kept without a look at its pages */

static EP_LARGE _Atomic uint64_t pages[N_SLOTS]; /* 0: the slot is free */
static _Atomic bool is_full, was_met;

/* Returns the slot of a page, or else the free slot for it; N_SLOTS: there is neither. */
static EP_SLICE_CODE uint32_t find_slot(uint64_t page)
{
	uint32_t first = (uint32_t)((page * 0x9e3779b97f4a7c15ull) >> 53);

	for (uint32_t i = 0; i < MAX_PROBES; i++) {
		uint32_t slot = (first + i) % N_SLOTS;
		uint64_t found = atomic_load_explicit(&pages[slot], memory_order_relaxed);

		if (!found || found == page)
			return slot;
	}
	return N_SLOTS;
}

/* Notes the page of an address. If two threads take the same free slot at once, the second one looks for a slot
 * again. */
EP_SLICE_CODE void ep_made_code_note(uint64_t address)
{
	uint64_t page = address >> PAGE_BITS, free_slot;
	uint32_t slot;

	atomic_store_explicit(&was_met, true, memory_order_relaxed);
	do {
		slot = page ? find_slot(page) : N_SLOTS;
		if (slot == N_SLOTS) {
			atomic_store_explicit(&is_full, true, memory_order_relaxed);
			return;
		}
		free_slot = 0;
	} while (!atomic_compare_exchange_strong(&pages[slot], &free_slot, page) &&
		 free_slot != page);
}

bool ep_made_code_was_met(void)
{
	return was_met;
}

static bool is_met(uint64_t page)
{
	uint32_t slot = find_slot(page);

	return page && slot != N_SLOTS && pages[slot] == page; /* a free slot has the number 0 */
}

/* Reads a hexadecimal number and the blank after it. Returns the text after the blank; NULL: number or blank is
 * missing. */
static const char *take_number(const char *at, const char *end, uint64_t *out_number)
{
	const char *start = at;
	uint64_t number = 0;

	for (; at < end && at - start < 16; at++) {
		unsigned digit = (unsigned char)*at;

		if (digit - '0' < 10)
			digit -= '0';
		else if ((digit | 32) - 'a' < 6)
			digit = (digit | 32) - 'a' + 10;
		else
			break;
		number = number << 4 | digit;
	}
	*out_number = number;
	return at > start && at < end && *at == ' ' ? at + 1 : NULL;
}

static const char *skip_0x(const char *at, const char *end)
{
	return end - at > 2 && at[0] == '0' && (at[1] | 32) == 'x' ? at + 2 : at;
}

bool ep_made_code_wants(const char *line, size_t size)
{
	const char *end = line + size, *at;
	uint64_t start, bytes;

	at = take_number(skip_0x(line, end), end, &start);
	at = at ? take_number(skip_0x(at, end), end, &bytes) : NULL;
	return at && ep_made_code_wants_range(start, bytes);
}

bool ep_made_code_wants_range(uint64_t start, uint64_t size_bytes)
{
	uint64_t last = (start + (size_bytes - 1)) >> PAGE_BITS;

	if (!size_bytes)
		return false;
	if (is_full || last - (start >> PAGE_BITS) > MAX_PAGES)
		return true;
	for (uint64_t page = start >> PAGE_BITS; page <= last; page++)
		if (is_met(page))
			return true;
	return false;
}
