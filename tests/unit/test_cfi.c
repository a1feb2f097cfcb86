// SPDX-License-Identifier: BSD-3-Clause
/*
 * Unwind tables moved, damaged and cut: a copy of libc's image between pages that cannot be read.
 * That rules are right is shown in test_unwind.c.
 */
#include "tests/unit/test.h"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include "preload/unwind/cfi.h"

struct image {
	uint64_t start, end;      /* where libc is */
	uint64_t header;          /* its .eh_frame_hdr */
	uint64_t code, code_size; /* of all procedures with rules; data lies between them on some
				     machines */
	uint8_t *copy;            /* (end - start) */
};

/* .eh_frame_hdr as ld writes it (Linux Standard Base, 10.6.2): version 1, three encodings, a
 * pointer, the number of procedures, then their starts in order, each relative to the header. */
struct header {
	uint8_t version, encodings[3];
	int32_t eh_frame;
	uint32_t n_procedures;
	struct {
		int32_t start, rules;
	} procedures[];
};

static int find_libc(struct dl_phdr_info *info, size_t size, void *argument)
{
	struct image *image = argument;

	if (!strstr(info->dlpi_name, "libc.so"))
		return 0;
	image->start = UINT64_MAX;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		uint64_t at = info->dlpi_addr + header->p_vaddr, end = at + header->p_memsz;

		if (header->p_type == PT_GNU_EH_FRAME)
			image->header = at;
		if (header->p_type != PT_LOAD || header->p_flags & PF_W)
			continue;
		image->start = at < image->start ? at : image->start;
		image->end = end > image->end ? end : image->end;
	}
	const struct header *table = (const void *)image->header;
	uint32_t n = table->n_procedures;

	image->code = image->header + (uint64_t)(int64_t)table->procedures[0].start;
	image->code_size = (uint64_t)(table->procedures[n - 1].start - table->procedures[0].start);
	return 1;
}

static void make_image(struct image *image)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size, room;
	char *memory;

	memset(image, 0, sizeof(*image));
	dl_iterate_phdr(find_libc, image);
	size = image->end - image->start;
	room = (size + page - 1) / page * page;
	memory = mmap(NULL, room + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect(memory + page, room, PROT_READ | PROT_WRITE);
	image->copy = (uint8_t *)memory + page + room - size;
	image->copy -= (uint64_t)image->copy % 16;
	memcpy(image->copy, (void *)image->start, size);
}

static struct ep_frame_rule find(const struct image *image, uint64_t offset, size_t size)
{
	uint64_t low = (uint64_t)image->copy;

	return ep_cfi_find(
		low + offset, image->copy + (image->header - image->start), low, low + size);
}

static uint64_t code_offset(const struct image *image, uint64_t i)
{
	return image->code - image->start + i % image->code_size;
}

TEST(a_moved_image_has_the_same_rules)
{
	struct image image;
	uint32_t n_known = 0;

	make_image(&image);
	const struct header *table = (const void *)image.header;

	CHECK(table->n_procedures > 1000);
	for (uint32_t i = 0; i < table->n_procedures; i++) {
		uint64_t at = image.header + (uint64_t)(int64_t)table->procedures[i].start + i % 8;
		struct ep_frame_rule here =
			ep_cfi_find(at, (const uint8_t *)image.header, image.start, image.end);
		struct ep_frame_rule there =
			find(&image, at - image.start, image.end - image.start);

		CHECK(!memcmp(&here, &there, sizeof(here)));
		n_known += here.cfa != EP_CFA_UNKNOWN;
	}
	CHECK_MSG(n_known > table->n_procedures / 100 * 98, "%u rules of %u procedures", n_known,
		table->n_procedures);
}

TEST(damage_is_never_followed_outside)
{
	struct image image;
	uint64_t seed = 88172645463325252ull, tables;

	make_image(&image);
	tables = image.header - image.start;
	for (int i = 0; i < 300000; i++) {
		uint64_t at;

		seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
		/* header and entries, mostly their beginnings, where one byte says most */
		at = tables + seed % (seed & 1 << 20 ? 64 : image.end - image.start - tables);
		if (i % 1000 == 0)
			memcpy(image.copy + tables, (void *)image.header, image.end - image.header);
		image.copy[at] = seed >> 40;
		find(&image, code_offset(&image, seed >> 8), image.end - image.start);
		find(&image, code_offset(&image, seed >> 8), tables + (seed >> 30) % 4096);
	}
	CHECK(image.copy != NULL);
}

TEST(no_code_has_no_rule)
{
	struct image image;

	make_image(&image);
	CHECK_INT(find(&image, 0, image.end - image.start).cfa, EP_CFA_UNKNOWN);
	CHECK_INT(
		find(&image, image.end - image.start, image.end - image.start).cfa, EP_CFA_UNKNOWN);
}
