// SPDX-License-Identifier: BSD-3-Clause
/* A library's procedure that calls back; built twice, with frames of FRAME_BYTES and otherwise the
 * same code. */
__attribute__((visibility("default"), no_sanitize("address", "undefined"))) void call_back(
	void (*back)(void));

void call_back(void (*back)(void))
{
	volatile char frame[FRAME_BYTES];

	frame[0] = 0;
	back();
	frame[1] = frame[0];
}
