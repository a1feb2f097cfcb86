// SPDX-License-Identifier: BSD-3-Clause
/*
 * libFuzzer target for the maps of JIT compilers, as a trace carries them. The first eight bytes are
 * an address that is looked for, the rest is the map. tests/fuzz/run.sh builds and runs it.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/symbolize/symbolize_private.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_for(const struct ep_perf_map *map, uint64_t address)
{
	const char *name = ep_perf_map_name(map, address);

	if (name && strchr(name, '\n'))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ep_kept_map kept = { .pid = 1 };
	struct ep_map_question question = { .pid = 1, .kept = &kept };
	enum ep_map_status status;
	uint64_t address;

	if (size < sizeof(address))
		return 0;
	memcpy(&address, data, sizeof(address));
	kept.text = (char *)data + sizeof(address);
	kept.size = size - sizeof(address);
	struct ep_perf_map *map = ep_perf_map_open(&question, &status);

	if (!map)
		return 0;
	look_for(map, address);
	look_for(map, 0);
	look_for(map, UINT64_MAX);
	ep_perf_map_destroy(map);
	return 0;
}
