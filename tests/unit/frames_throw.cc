// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/frames.h"

namespace
{
struct AtEnd {
	void (*leaf)(void);
	~AtEnd() { leaf(); }
};

__attribute__((noinline)) void thrower(int depth, void (*leaf)(void))
{
	AtEnd at_end{ leaf };

	if (!depth)
		throw 7;
	thrower(depth - 1, leaf);
	asm volatile("" ::: "memory");
}
}

int frames_throw(void (*leaf)(void))
{
	try {
		thrower(3, leaf);
	} catch (int thrown) {
		leaf();
		return thrown;
	}
	return 0;
}
