// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reads x86-64 instructions by address with capstone. Capstone is loaded at run time, so that evprof also starts if
 * capstone is not installed. Each instruction is read once. Used by the launcher only, in one thread.
 */
#include "floating_code.h"

#include <capstone/capstone.h>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/callgrind.h"
#include "common/cleanup.h"
#include "common/containers/array.h"
#include "floating_class.h"

#define NOT_YET_READ (UINT8_MAX - 1)

/* An executable part of a file. */
struct segment {
	const uint8_t *bytes;
	uint64_t address, size;
	uint8_t *classes; /* (size) the class of the instruction that begins at each byte */
};

struct object {
	char *path;
	void *map; /* NULL: the file cannot be read */
	size_t map_size;
	struct segment *segments;
	uint32_t n_segments, capacity;
};

struct ep_floating_code {
	void *library;
	csh handle;
	cs_insn *instruction;
	__typeof__(cs_open) *open;
	__typeof__(cs_malloc) *make;
	__typeof__(cs_disasm_iter) *read;
	struct object *objects;
	uint32_t n_objects, capacity;
};

static bool load(struct ep_floating_code *code)
{
	char name[32];

	snprintf(name, sizeof(name), "libcapstone.so.%d", CS_API_MAJOR);
	code->library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	if (!code->library)
		return false;
	code->open = (__typeof__(code->open))dlsym(code->library, "cs_open");
	code->make = (__typeof__(code->make))dlsym(code->library, "cs_malloc");
	code->read = (__typeof__(code->read))dlsym(code->library, "cs_disasm_iter");
	if (!code->open || !code->make || !code->read ||
		code->open(CS_ARCH_X86, CS_MODE_64, &code->handle) != CS_ERR_OK)
		return false;
	code->instruction = code->make(code->handle);
	return code->instruction != NULL;
}

/* Creates the reader. Capstone's own memory is not freed when the reader is destroyed, since the process ends soon
 * after. */
struct ep_floating_code *ep_floating_code_create(void)
{
	struct ep_floating_code *code = calloc(1, sizeof(*code));

	if (code && !load(code)) {
		free(code);
		return NULL;
	}
	return code;
}

static void finish_object(struct object *object)
{
	for (size_t i = 0; i < object->n_segments; i++)
		free(object->segments[i].classes);
	free(object->segments);
	free(object->path);
	if (object->map)
		munmap(object->map, object->map_size);
}

void ep_floating_code_destroy(struct ep_floating_code *code)
{
	if (!code)
		return;
	for (size_t i = 0; i < code->n_objects; i++)
		finish_object(&code->objects[i]);
	free(code->objects);
	free(code);
}

/* ---- files ---- */

static void *map_file(const char *path, size_t *out_size)
{
	EP_AUTOCLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	void *map;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) ||
		st.st_size < (off_t)sizeof(Elf64_Ehdr))
		return NULL;
	*out_size = (size_t)st.st_size;
	map = mmap(NULL, *out_size, PROT_READ, MAP_PRIVATE, fd, 0);
	return map == MAP_FAILED ? NULL : map;
}

static bool is_x86_64(const Elf64_Ehdr *header, size_t size)
{
	return !memcmp(header->e_ident, ELFMAG, SELFMAG) &&
	       header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_machine == EM_X86_64 &&
	       header->e_phentsize == sizeof(Elf64_Phdr) && header->e_phoff <= size &&
	       header->e_phnum * sizeof(Elf64_Phdr) <= size - header->e_phoff;
}

static int add_segment(struct object *object, const Elf64_Phdr *program)
{
	struct segment segment = {
		.bytes = (const uint8_t *)object->map + program->p_offset,
		.address = program->p_vaddr,
		.size = program->p_filesz,
		.classes = malloc(program->p_filesz + 1),
	};

	if (!segment.classes ||
		EP_ARRAY_RESERVE(object->segments, object->n_segments, object->capacity)) {
		free(segment.classes);
		return -ENOMEM;
	}
	memset(segment.classes, NOT_YET_READ, segment.size);
	object->segments[object->n_segments++] = segment;
	return 0;
}

static int read_segments(struct object *object)
{
	const Elf64_Ehdr *header = object->map;
	int rc = 0;

	if (!header || !is_x86_64(header, object->map_size))
		return 0;
	for (size_t i = 0; !rc && i < header->e_phnum; i++) {
		Elf64_Phdr program;

		memcpy(&program, (const char *)object->map + header->e_phoff + i * sizeof(program),
			sizeof(program));
		if (program.p_type == PT_LOAD && program.p_flags & PF_X &&
			program.p_offset <= object->map_size &&
			program.p_filesz <= object->map_size - program.p_offset)
			rc = add_segment(object, &program);
	}
	return rc;
}

static int find_object(const struct ep_floating_code *code, const char *path)
{
	for (size_t i = 0; i < code->n_objects; i++)
		if (!strcmp(code->objects[i].path, path))
			return (int)i;
	return -1;
}

int ep_floating_code_open(struct ep_floating_code *code, const char *path)
{
	int found = find_object(code, path);
	struct object *object;

	if (found >= 0)
		return found;
	if (EP_ARRAY_RESERVE(code->objects, code->n_objects, code->capacity))
		return -ENOMEM;
	object = &code->objects[code->n_objects];
	*object = (struct object){ .path = strdup(path) };
	if (!object->path)
		return -ENOMEM;
	code->n_objects++;
	object->map = map_file(path, &object->map_size);
	if (read_segments(object))
		return -ENOMEM;
	return (int)code->n_objects - 1;
}

/* ---- instructions ---- */

static uint8_t read_class(
	struct ep_floating_code *code, const struct segment *segment, uint64_t offset)
{
	const uint8_t *bytes = segment->bytes + offset;
	size_t size = segment->size - offset;
	uint64_t address = segment->address + offset;
	int class;

	if (!code->read(code->handle, &bytes, &size, &address, code->instruction))
		return EP_FLOATING_UNREAD;
	class = ep_floating_class_of(code->instruction->mnemonic, code->instruction->op_str);
	return class < 0 ? EP_FLOATING_NONE : (uint8_t) class;
}

uint8_t ep_floating_code_at(struct ep_floating_code *code, int object_idx, uint64_t address)
{
	const struct object *object = &code->objects[object_idx];

	for (size_t i = 0; i < object->n_segments; i++) {
		const struct segment *segment = &object->segments[i];
		uint64_t offset = address - segment->address;

		if (offset >= segment->size)
			continue;
		if (segment->classes[offset] == NOT_YET_READ)
			segment->classes[offset] = read_class(code, segment, offset);
		return segment->classes[offset];
	}
	return EP_FLOATING_UNREAD;
}
