// SPDX-License-Identifier: BSD-3-Clause
// Regions in C++: an object ends its region when it goes, by an exception, too.
#include <evprof.h>

#include <stdexcept>
#include <string>

namespace
{
struct Region {
	std::string name;

	explicit Region(std::string region) : name(std::move(region))
	{
		evprof_region_begin(name.c_str());
	}
	~Region()
	{
		evprof_region_end(name.c_str());
	}
};

void work(int i)
{
	Region region("inner");

	if (i % 2)
		throw std::runtime_error("odd");
}
}

int main()
{
	Region region("outer");

	for (int i = 0; i < 5; i++) {
		try {
			work(i);
		} catch (const std::runtime_error &) {
		}
	}
	return 0;
}
