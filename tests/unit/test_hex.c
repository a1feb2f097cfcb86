// SPDX-License-Identifier: BSD-3-Clause
/* Two digits for each byte. */
#include "tests/unit/test.h"

#include "common/hex.h"

TEST(digits)
{
	static const uint8_t bytes[] = { 0x00, 0x0f, 0xa5, 0xff };
	char text[] = "unwritten";

	ep_hex_format(text, bytes, 4);
	CHECK_STR(text, "000fa5ff");
	ep_hex_format(text, bytes, 0);
	CHECK_STR(text, "");
}
