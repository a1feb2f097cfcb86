// SPDX-License-Identifier: BSD-3-Clause
/* Modules as the loader has them, through dlopen, dlclose and another library at the same place. */
#include "tests/unit/test.h"

#include <dlfcn.h>
#include <link.h>

#include "preload/unwind/modules.h"

static uint8_t bytes[1 << 16];
static const struct ep_process_key key = { 1, 2 };

static int check_range(struct dl_phdr_info *info, size_t size, void *argument)
{
	struct ep_code_range range;
	int *n_seen = argument;

	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		uint64_t at = info->dlpi_addr + header->p_vaddr;

		if (header->p_type != PT_LOAD || !(header->p_flags & PF_X))
			continue;
		CHECK_MSG(ep_modules_find_code(at, &range), "%s", info->dlpi_name);
		CHECK(range.start <= at && at + header->p_memsz <= range.end);
		++*n_seen;
	}
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
			CHECK((uint64_t)range.eh_frame_header ==
				info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	return 0;
}

TEST(every_modules_code_is_found)
{
	int n_seen = 0;

	ep_modules_refresh();
	dl_iterate_phdr(check_range, &n_seen);
	CHECK(n_seen >= 3);
}

__attribute__((noinline, section(".far_code"))) static int far_code(int n)
{
	__asm__ volatile("");
	return n + 1;
}

/* The loader tells the segments of such a program apart; its tables of frames and its file's beginning lie in
 * another one than this code. */
TEST(a_program_with_a_gap_is_one_module)
{
	struct ep_code_range far, near;

	CHECK_INT(far_code(1), 2);
	CHECK(ep_modules_find_code((uint64_t)far_code, &far));
	CHECK(ep_modules_find_code((uint64_t)check_range, &near));
	CHECK((uint64_t)far_code - (uint64_t)check_range > 1 << 24);
	CHECK(far.start == near.start && far.end == near.end);
	CHECK(!memcmp((const void *)far.start, ELFMAG, SELFMAG));
	CHECK((uint64_t)far.eh_frame_header > far.start && (uint64_t)far.eh_frame_header < far.end);
}

TEST(what_is_no_code_is_in_no_module)
{
	static const uint64_t addresses[] = { 0, 1, 4096, UINT64_MAX, 1ull << 63 };
	struct ep_code_range range;
	uint64_t on_stack, bias;

	for (size_t i = 0; i < 5; i++)
		CHECK(!ep_modules_find_code(addresses[i], &range));
	CHECK(!ep_modules_find_code((uint64_t)&on_stack, &range));
	CHECK_INT(ep_modules_number((uint64_t)&on_stack, 0, &bias), 0);
}

/* The block's modules as "ID:last part of the path ". */
static void read_block(struct ep_wire *wire, char *text, size_t capacity)
{
	struct ep_module module;
	struct ep_block block;
	size_t at = 0, module_at = 0, used = 0;

	text[0] = '\0';
	if (!wire->size_bytes)
		return;
	CHECK_INT(ep_block_next(wire->data, wire->size_bytes, &at, &block), 1);
	while (ep_modules_next(&block, &module_at, &module) == 1) {
		const char *slash = memrchr(module.path, '/', module.path_size);
		int size = module.path + module.path_size - (slash + 1);

		used += snprintf(
			text + used, capacity - used, "%u:%.*s ", module.id, size, slash + 1);
		CHECK(module.start < module.end);
		CHECK_INT(module.build_id_size, 20);
	}
	wire->size_bytes = 0;
}

static uint32_t number(const void *address, uint64_t time_us)
{
	uint64_t bias;

	return ep_modules_number((uint64_t)address, time_us, &bias);
}

TEST(modules_are_numbered_when_first_seen_and_written_once)
{
	struct ep_wire wire = { bytes, 0, sizeof(bytes), false };
	char text[1000];

	ep_modules_reset();
	CHECK_INT(number((void *)number, 5), 1);
	CHECK_INT(number(dlsym(RTLD_DEFAULT, "gnu_get_libc_version"), 6), 2);
	CHECK_INT(number((void *)read_block, 7), 1);
	CHECK_INT(ep_modules_append(&wire, key), 2);
	read_block(&wire, text, sizeof(text));
	CHECK_STR(text, "1:test_modules 2:libc.so.6 ");
	CHECK_INT(ep_modules_append(&wire, key), 2); /* not yet written: again */
	read_block(&wire, text, sizeof(text));
	CHECK_STR(text, "1:test_modules 2:libc.so.6 ");
	ep_modules_written();
	CHECK_INT(ep_modules_append(&wire, key), 0);
	ep_modules_reset();
	CHECK_INT(number((void *)read_block, 8), 1);
	CHECK_INT(ep_modules_append(&wire, key), 1);
}

/* The same library again keeps its number; another one gets another. */
TEST(a_library_that_comes_and_goes)
{
	struct ep_code_range range;
	uint32_t first, again;
	uint64_t bias;
	void *handle, *code;

	ep_modules_reset();
	handle = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
	code = handle ? dlsym(handle, "adler32") : NULL;
	if (!code || dlsym(RTLD_DEFAULT, "adler32")) {
		/* linked to it: nothing to unload */
		handle = dlopen("libanl.so.1", RTLD_NOW | RTLD_LOCAL);
		code = handle ? ((struct link_map *)handle)->l_ld : NULL;
	}
	CHECK(code != NULL);
	if (!code)
		return;
	first = number(code, 1);
	CHECK(first > 0);
	CHECK(ep_modules_find_code((uint64_t)code, &range));
	dlclose(handle);
	CHECK(!ep_modules_find_code((uint64_t)code, &range));
	CHECK_INT(ep_modules_number((uint64_t)code, 2, &bias), 0);
	handle = dlopen("libanl.so.1", RTLD_NOW | RTLD_LOCAL);
	CHECK(handle != NULL);
	again = number(((struct link_map *)handle)->l_ld, 3);
	CHECK_INT(again, ((struct link_map *)handle)->l_ld == code ? first : first + 1);
	dlclose(handle);
}

/* A copy of a small library under another name. */
static void copy_library(const char *from, const char *to)
{
	static char data[1 << 20];
	FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
	size_t size = in ? fread(data, 1, sizeof(data), in) : 0;

	CHECK(out && size && size < sizeof(data) && fwrite(data, 1, size, out) == size);
	fclose(in);
	fclose(out);
}

/* A block has room for so many paths; the others come with the next one. */
TEST(a_hundred_at_once)
{
	enum { N = 103 };
	struct ep_wire wire = { bytes, 0, sizeof(bytes), false };
	char folder[] = "/tmp/evprof-modules-XXXXXX", copy[64];
	void *library = dlopen("libanl.so.1", RTLD_NOW | RTLD_LOCAL);
	void *handles[N];

	CHECK(library && mkdtemp(folder));
	ep_modules_reset();
	for (int i = 0; i < N; i++) {
		snprintf(copy, sizeof(copy), "%s/%d.so", folder, i);
		copy_library(((struct link_map *)library)->l_name, copy);
		handles[i] = dlopen(copy, RTLD_NOW | RTLD_LOCAL);
		CHECK(handles[i] != NULL);
		CHECK_INT(number(((struct link_map *)handles[i])->l_ld, 1), i + 1);
		unlink(copy);
	}
	CHECK_INT(ep_modules_append(&wire, key), 100);
	wire.size_bytes = 0;
	ep_modules_written();
	CHECK_INT(ep_modules_append(&wire, key), N - 100);
	ep_modules_written();
	CHECK_INT(ep_modules_append(&wire, key), 0);
	for (int i = 0; i < N; i++)
		dlclose(handles[i]);
	dlclose(library);
	rmdir(folder);
	ep_modules_reset();
}

TEST(a_member_too_small)
{
	struct ep_wire wire = { bytes, 0, 40, false };

	ep_modules_reset();
	number((void *)number, 5);
	ep_modules_append(&wire, key);
	CHECK(wire.overflow); /* taken back, and still to be written */
	CHECK_INT(wire.size_bytes, 0);
	wire = (struct ep_wire){ bytes, 0, sizeof(bytes), false };
	CHECK_INT(ep_modules_append(&wire, key), 1);
}
