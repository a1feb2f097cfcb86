/* SPDX-License-Identifier: BSD-3-Clause */
/* Call frame information as bytes: where a procedure's entry is and what stands in it. */
#ifndef EVPROF_PRELOAD_UNWIND_CFI_READ_H
#define EVPROF_PRELOAD_UNWIND_CFI_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A reader that yields zeros after its end, so that loops need one check. */
struct ep_cfi_cursor {
	const uint8_t *at;
	const uint8_t *end;
	bool bad;
};

struct ep_cfi_cie {
	uint64_t code_align;
	int64_t data_align;
	uint64_t ra_reg;
	uint8_t pointer_encoding;
	bool has_augmentation_data;
	bool is_signal;
	struct ep_cfi_cursor program;
};

struct ep_cfi_fde {
	uint64_t begin, end;
	struct ep_cfi_cursor program;
};

/* n <= 8, little-endian. */
uint64_t ep_cfi_take_bytes(struct ep_cfi_cursor *c, size_t n);
uint64_t ep_cfi_take_uleb(struct ep_cfi_cursor *c);
int64_t ep_cfi_take_sleb(struct ep_cfi_cursor *c);
/* DW_EH_PE_* as in encoding; data_base: what it may be relative to. */
uint64_t ep_cfi_take_encoded(struct ep_cfi_cursor *c, uint8_t encoding, uint64_t data_base);
/* By the table of .eh_frame_hdr, which ends before high: where the entry (FDE) of the procedure around pc
 * begins, unchecked; NULL when there is none. */
const uint8_t *ep_cfi_search(uint64_t pc, const uint8_t *header, uint64_t high);
/* The entry at p and the common one (CIE) it names, both within low to high; false when they make no sense. */
bool ep_cfi_parse(const uint8_t *p, uint64_t low, uint64_t high, struct ep_cfi_cie *cie,
	struct ep_cfi_fde *fde);

#endif
