// SPDX-License-Identifier: BSD-3-Clause
/* Which file stands for a module of the trace: here this very program, linked to under other names.
 * What is read from it is shown in test_symbolize.c. */
#include "tests/unit/test.h"

#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "reporter/symbolize/symbolize_private.h"

static uint64_t base;
static uint8_t build_id[EP_BUILD_ID_MAX_BYTES];
static size_t build_id_size;

/* Looks at the first object in the loader's list, which is the program. */
static int look(struct dl_phdr_info *info, size_t size, void *context)
{
	base = info->dlpi_addr;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		const char *at = (const char *)base + header->p_vaddr, *end = at + header->p_memsz;

		while (header->p_type == PT_NOTE && at < end) {
			const ElfW(Nhdr) *note = (const void *)at;
			const char *id = at + sizeof(*note) + ((note->n_namesz + 3) & ~3u);

			if (note->n_type == NT_GNU_BUILD_ID && note->n_descsz <= sizeof(build_id)) {
				memcpy(build_id, id, note->n_descsz);
				build_id_size = note->n_descsz;
			}
			at = id + ((note->n_descsz + 3) & ~3u);
		}
	}
	return 1;
}

static const char *self_path(void)
{
	static char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	path[n > 0 ? n : 0] = '\0';
	return path;
}

/* The status; the object, if there is one, must know this function by its name. */
static enum ep_module_status ask(const struct ep_object_question *question)
{
	struct ep_raw_frame frames[EP_MAX_INLINED];
	enum ep_module_status status = EP_MODULE_FOUND;
	struct ep_object *object = ep_object_open(question, &status);

	if (object) {
		uint64_t address = (uintptr_t)ask - base;
		uint32_t n = ep_object_frames(object, address + 1, frames);

		CHECK_INT(n, 1);
		CHECK_STR(n ? frames[0].name : "none", "ask");
		CHECK(ep_object_procedure_start(object, address + 1) == address);
	}
	ep_object_destroy(object);
	return status;
}

/* Makes the folders of path, which begins with "/tmp/", and a link to this program there. */
static void link_program(const char *path)
{
	char folder[512];

	for (const char *slash = strchr(path + 5, '/'); slash; slash = strchr(slash + 1, '/')) {
		snprintf(folder, sizeof(folder), "%.*s", (int)(slash - path), path);
		mkdir(folder, 0700);
	}
	CHECK_INT(symlink(self_path(), path), 0);
}

/* Removes the program and its folders again, up to root. */
static void unlink_program(char *path, const char *root)
{
	unlink(path);
	while (strlen(path) > strlen(root)) {
		*strrchr(path, '/') = '\0';
		rmdir(path);
	}
}

/* A symbol without a size, as assembly has them, and behind it a procedure without any name: only
 * the unwind tables know that it begins. Two instructions each. Two more follow, of which no table
 * knows anything. */
__asm__(".text\n"
	"\t.globl sizeless\n"
	"\t.type sizeless, %function\n"
	"sizeless:\n"
	"\t.cfi_startproc\n\tnop\n\tnop\n\t.cfi_endproc\n"
	"\t.cfi_startproc\n\tnop\n\tnop\n\t.cfi_endproc\n"
	"\tnop\n\tnop\n"
	"\t.globl alone\n"
	"\t.type alone, %function\n"
	"alone:\n"
	"\t.cfi_startproc\n\tnop\n\tnop\n\t.cfi_endproc\n"
	"\tnop\n\tnop\n");
extern const char sizeless[], alone[];

enum {
#if defined(__x86_64__)
	NOP_BYTES = 1
#else
	NOP_BYTES = 4
#endif
};

TEST(a_nameless_procedure_does_not_get_the_name_before_it)
{
	struct ep_object_question question = { .path = self_path() };
	struct ep_raw_frame frames[EP_MAX_INLINED];
	enum ep_module_status status;
	struct ep_object *object = ep_object_open(&question, &status);
	uint64_t address;
	uint32_t n;

	dl_iterate_phdr(look, NULL);
	CHECK_INT(status, EP_MODULE_FOUND);
	address = (uintptr_t)sizeless - base;
	n = ep_object_frames(object, address + NOP_BYTES, frames);
	CHECK_STR(n ? frames[0].name : "none", "sizeless");
	CHECK(ep_object_procedure_start(object, address + 2 * NOP_BYTES) ==
		address + 2 * NOP_BYTES);
	n = ep_object_frames(object, address + 2 * NOP_BYTES, frames);
	CHECK_STR(n && frames[0].name ? frames[0].name : "none", "none");
	ep_object_destroy(object);
}

/* A procedure of the unwind tables has an end as well as a start. */
TEST(code_behind_a_procedure_is_not_its_own)
{
	struct ep_object_question question = { .path = self_path() };
	struct ep_raw_frame frames[EP_MAX_INLINED];
	enum ep_module_status status;
	struct ep_object *object = ep_object_open(&question, &status);
	uint64_t nameless, address;
	uint32_t n;

	dl_iterate_phdr(look, NULL);
	CHECK_INT(status, EP_MODULE_FOUND);
	nameless = (uintptr_t)sizeless - base + 2 * NOP_BYTES;
	CHECK(ep_object_procedure_start(object, nameless + 2 * NOP_BYTES - 1) == nameless);
	CHECK(ep_object_procedure_start(object, nameless + 2 * NOP_BYTES) == UINT64_MAX);
	address = (uintptr_t)alone - base;
	CHECK(ep_object_procedure_start(object, address + NOP_BYTES) == address);
	n = ep_object_frames(object, address + NOP_BYTES, frames);
	CHECK_STR(n ? frames[0].name : "none", "alone");
	CHECK(ep_object_procedure_start(object, address + 2 * NOP_BYTES) == UINT64_MAX);
	n = ep_object_frames(object, address + 2 * NOP_BYTES, frames);
	CHECK_STR(n && frames[0].name ? frames[0].name : "none", "none");
	ep_object_destroy(object);
}

TEST(by_build_id)
{
	static const uint8_t another[] = { 1, 2, 3, 4 };
	struct ep_object_question question = { .path = self_path() };

	dl_iterate_phdr(look, NULL);
	CHECK(build_id_size >= 8);
	question.build_id = build_id;
	question.build_id_size = build_id_size;
	CHECK_INT(ask(&question), EP_MODULE_FOUND);
	question.build_id_size = build_id_size - 1;
	CHECK_INT(ask(&question), EP_MODULE_CHANGED);
	question.build_id = another;
	question.build_id_size = sizeof(another);
	CHECK_INT(ask(&question), EP_MODULE_CHANGED);
}

TEST(no_file)
{
	struct ep_object_question question = { .path = "" };

	CHECK_INT(ask(&question), EP_MODULE_NO_FILE);
	question.path = "relative/path";
	CHECK_INT(ask(&question), EP_MODULE_NO_FILE);
	question.path = "/nowhere/program";
	CHECK_INT(ask(&question), EP_MODULE_ABSENT);
	question.path = "/tmp";
	CHECK_INT(ask(&question), EP_MODULE_ABSENT);
	question.path = "/proc/self/status"; /* a file, and no ELF */
	CHECK_INT(ask(&question), EP_MODULE_ABSENT);
}

TEST(a_file_that_was_replaced_while_it_ran)
{
	char root[] = "/tmp/evprof-object-XXXXXX", path[5000];
	struct ep_object_question question = { .path = path };

	CHECK(mkdtemp(root) != NULL);
	dl_iterate_phdr(look, NULL);
	snprintf(path, sizeof(path), "%s (deleted)", self_path());
	CHECK_INT(ask(&question), EP_MODULE_FOUND);
	/* only what ends so is one */
	snprintf(path, sizeof(path), "%s/old (deleted)/program", root);
	link_program(path);
	CHECK_INT(ask(&question), EP_MODULE_FOUND);
	unlink_program(path, root);
}

TEST(separate_debug_information)
{
	char root[] = "/tmp/evprof-object-XXXXXX", path[512];
	struct ep_object_question question = { .path = "/nowhere/program", .sysroot = root };
	int n;

	CHECK(mkdtemp(root) != NULL);
	dl_iterate_phdr(look, NULL);
	question.build_id = build_id;
	question.build_id_size = build_id_size;
	CHECK_INT(ask(&question), EP_MODULE_ABSENT);
	n = snprintf(path, sizeof(path), "%s/usr/lib/debug/.build-id/%02x/", root, build_id[0]);
	for (size_t i = 1; i < build_id_size; i++)
		n += snprintf(path + n, sizeof(path) - (size_t)n, "%02x", build_id[i]);
	snprintf(path + n, sizeof(path) - (size_t)n, ".debug");
	link_program(path);
	CHECK_INT(ask(&question), EP_MODULE_DEBUG);
	unlink_program(path, root);
}

/* Longer than any path: nothing is found, and nothing written behind the buffer. */
TEST(a_sysroot_that_does_not_fit)
{
	static char sysroot[6000];
	struct ep_object_question question = { .path = self_path(), .sysroot = sysroot };

	dl_iterate_phdr(look, NULL);
	question.build_id = build_id;
	question.build_id_size = build_id_size;
	for (size_t length = 4000; length < sizeof(sysroot); length += 19) {
		memset(sysroot, 'x', length);
		sysroot[0] = '/';
		CHECK_INT(ask(&question), EP_MODULE_ABSENT);
	}
}
