/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether an address can be one that a call returns to, told by the instruction before it. */
#ifndef EVPROF_PRELOAD_UNWIND_CALL_SITE_H
#define EVPROF_PRELOAD_UNWIND_CALL_SITE_H

#include <stdint.h>

enum ep_call_site {
	EP_CALL_NONE,
	EP_CALL_DIRECT,   /* to an address that the instruction names */
	EP_CALL_INDIRECT, /* through a register or memory */
};

#define EP_CALL_BYTES 8 /* before the address: more than any call has */

/* bytes: the EP_CALL_BYTES before the address, x86-64. out_distance: from the address to where a
 * direct call goes. Signal handlers. */
enum ep_call_site ep_call_site_before(const uint8_t bytes[EP_CALL_BYTES], int64_t *out_distance);

#define EP_STUB_BYTES 16

/* Returns how far the word with the target's address is from the beginning of a stub of the
 * procedure linkage table, whose first bytes are given. 0 where it is no stub. Safe in signal
 * handlers. */
int64_t ep_stub_slot(const uint8_t bytes[EP_STUB_BYTES]);

#endif
