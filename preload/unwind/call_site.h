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

/* Of a stub of the procedure linkage table, which begins with bytes: how far from its beginning the
 * word is that has its target's address. 0: it is none. Signal handlers. */
int64_t ep_stub_slot(const uint8_t bytes[EP_STUB_BYTES]);

#endif
