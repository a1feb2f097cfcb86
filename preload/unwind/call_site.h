/* SPDX-License-Identifier: BSD-3-Clause */
/* Tells whether an address can be a return address, by the instruction before it. */
#ifndef EVPROF_PRELOAD_UNWIND_CALL_SITE_H
#define EVPROF_PRELOAD_UNWIND_CALL_SITE_H

#include <stdint.h>

enum ep_call_site {
	EP_CALL_NONE,
	EP_CALL_DIRECT,   /* a call of an address that is in the instruction */
	EP_CALL_INDIRECT, /* a call through a register or memory */
};

#define EP_CALL_BYTES 8 /* bytes before the address that are looked at: more than any call has */

/* Returns the kind of the call instruction (x86-64) that ends at an address. bytes: the EP_CALL_BYTES before the
 * address. out_distance: from the address to the target of a direct call. Runs in signal handlers. */
enum ep_call_site ep_call_site_before(const uint8_t bytes[EP_CALL_BYTES], int64_t *out_distance);

#define EP_STUB_BYTES 16

/* Returns the distance from the beginning of a stub of the procedure linkage table to the word with the target's
 * address. 0: the code is no stub. bytes: the stub's first bytes. Runs in signal handlers. */
int64_t ep_stub_slot(const uint8_t bytes[EP_STUB_BYTES]);

#endif
