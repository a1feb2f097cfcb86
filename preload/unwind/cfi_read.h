/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds a procedure's entry in the call frame information, and reads the entry's fields. */
#ifndef EVPROF_PRELOAD_UNWIND_CFI_READ_H
#define EVPROF_PRELOAD_UNWIND_CFI_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A reader of bytes. After its end it returns zeros and sets bad, so that code needs to check bad only after several
 * readings. */
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

/* These functions read a number and advance the cursor. ep_cfi_take_bytes reads n bytes, 8 at most, little-endian. */
uint64_t ep_cfi_take_bytes(struct ep_cfi_cursor *c, size_t n);
uint64_t ep_cfi_take_uleb(struct ep_cfi_cursor *c);
int64_t ep_cfi_take_sleb(struct ep_cfi_cursor *c);
/* Takes a pointer in the given encoding (DW_EH_PE_*). data_base: the base of pointers that are relative to
 * the header. */
uint64_t ep_cfi_take_encoded(struct ep_cfi_cursor *c, uint8_t encoding, uint64_t data_base);
/* Returns the entry (FDE) of the procedure around pc; NULL: there is none. It is found by the table of .eh_frame_hdr,
 * which ends before high, and is not checked yet: pc may lie after the procedure's end. */
const uint8_t *ep_cfi_search(uint64_t pc, const uint8_t *header, uint64_t high);
/* Parses the entry (FDE) at p and its common entry (CIE). Memory outside of low to high is not read. Returns false if
 * one of the entries is not valid. */
bool ep_cfi_parse(const uint8_t *p, uint64_t low, uint64_t high, struct ep_cfi_cie *cie,
	struct ep_cfi_fde *fde);

#endif
