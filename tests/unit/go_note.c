// SPDX-License-Identifier: BSD-3-Clause
/* A note by which a reader takes a shared object for Go's. */
#include <elf.h>

__attribute__((used, section(".note.go.buildid"), aligned(4))) static const struct {
	Elf64_Nhdr header;
	char name[4], id[8];
} note = { { 4, 8, 4 }, "Go\0", "0123456" };
