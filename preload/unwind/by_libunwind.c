// SPDX-License-Identifier: BSD-3-Clause
/*
 * Follows stacks by libunwind. The library is loaded when the user asks for it. Its names are not visible to the
 * program, since they include backtrace() and _Unwind_*. libunwind reads memory that it trusts directly. While it holds
 * a lock, it blocks signals by libc's sigprocmask, which never blocks the tick's signal and sets a mask without it: a
 * second tick would overwrite the frame of the first one. So libunwind calls keep_mask in place of sigprocmask. In a
 * tick all signals are blocked anyway, and keep_mask does nothing. Outside of ticks the program may use the same
 * library, if it loads it later: there keep_mask blocks signals.
 */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define UNW_LOCAL_ONLY
#include <libunwind.h>

#include "common/cleanup.h"
#include "common/os/large.h"
#include "common/os/sys.h"
#include "preload/unwind/unwinder.h"
#include "preload/unwind/walk.h"

/* libunwind.h defines unw_step and similar names as macros with the architecture's name. */
#define NAME_OF(name) #name
#define EXPANDED(name) NAME_OF(name)

static struct {
	int (*init_local2)(unw_cursor_t *cursor, unw_context_t *context, int flags);
	int (*step)(unw_cursor_t *cursor);
	int (*get_reg)(unw_cursor_t *cursor, unw_regnum_t reg, unw_word_t *out_value);
} unw;

static const struct {
	const char *name;
	void **place;
} symbols[] = {
	{ EXPANDED(unw_init_local2), (void **)&unw.init_local2 },
	{ EXPANDED(unw_step), (void **)&unw.step },
	{ EXPANDED(unw_get_reg), (void **)&unw.get_reg },
};

static __thread bool is_walking __attribute__((tls_model("initial-exec")));

/* Replaces sigprocmask in libunwind. A tick that came while the program's own walk holds a lock would wait for that
 * lock for ever, so the tick's signal must be blocked then. libc's sigprocmask never blocks this signal, so the kernel
 * is called directly. */
static int keep_mask(int how, const sigset_t *set, sigset_t *out_before)
{
	uint64_t wanted = 0, before = 0;
	long rc = 0;

	if (set)
		memcpy(&wanted, set, sizeof(wanted));
	/* a call with out_before is made before libunwind takes a lock: all signals are blocked */
	if (out_before)
		wanted = ~0ull;
	if (!is_walking)
		rc = ep_sys_sigmask(how, set ? &wanted : NULL, &before);
	if (out_before) {
		sigemptyset(out_before);
		memcpy(out_before, &before, sizeof(before));
	}
	if (rc)
		errno = (int)-rc;
	return rc ? -1 : 0;
}

/* A library's slots for addresses of functions of other libraries, from its dynamic section. */
struct call_slots {
	const ElfW(Sym) * symbols;
	const char *names;
	const ElfW(Rela) * tables[2]; /* relocations for calls; for addresses (-fno-plt) */
	size_t sizes[2];              /* the tables' sizes in bytes */
};

static void read_dynamic(const struct link_map *map, struct call_slots *out)
{
	*out = (struct call_slots){ .names = NULL };
	for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
		/* glibc has made the address absolute */
		const void *at = (const void *)entry->d_un.d_ptr;

		if (entry->d_tag == DT_SYMTAB)
			out->symbols = at;
		else if (entry->d_tag == DT_STRTAB)
			out->names = at;
		else if (entry->d_tag == DT_JMPREL)
			out->tables[0] = at;
		else if (entry->d_tag == DT_PLTRELSZ)
			out->sizes[0] = entry->d_un.d_val;
		else if (entry->d_tag == DT_RELA)
			out->tables[1] = at;
		else if (entry->d_tag == DT_RELASZ)
			out->sizes[1] = entry->d_un.d_val;
	}
}

/* Writes a slot. A library that was linked with -z relro has its slots on pages that are read-only after relocation. */
static bool set_slot(uintptr_t address)
{
	uintptr_t page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE), page = address & -page_bytes;

	if (mprotect((void *)page, page_bytes, PROT_READ | PROT_WRITE))
		return false;
	*(int (**)(int, const sigset_t *, sigset_t *))address = keep_mask;
	return true;
}

static int replace_sigprocmask(void *library, struct ep_error *err)
{
	struct call_slots slots;
	struct link_map *map;
	unsigned n_set = 0;

	if (dlinfo(library, RTLD_DI_LINKMAP, &map))
		return ep_fail(err, -EPROTO, "libunwind's place in memory is not known");
	read_dynamic(map, &slots);
	for (int t = 0; t < 2 && slots.symbols && slots.names; t++)
		for (size_t i = 0; i < slots.sizes[t] / sizeof(ElfW(Rela)); i++) {
			const ElfW(Rela) *slot = &slots.tables[t][i];
			const ElfW(Sym) *symbol = &slots.symbols[ELF64_R_SYM(slot->r_info)];

			if (!strcmp(slots.names + symbol->st_name, "sigprocmask"))
				n_set += set_slot(map->l_addr + slot->r_offset);
		}
	return n_set ? 0
		     : ep_fail(err, -EPROTO,
			       "this libunwind blocks signals in a way that evprof does not know; evprof's own walker follows the stacks");
}

/* Loads libunwind, unless the program uses it itself: then the library must stay as it is, with its own sigprocmask. */
static int load(struct ep_error *err)
{
	static const char name[] = "libunwind.so.8";
	void *library = dlopen(name, RTLD_NOW | RTLD_NOLOAD);

	if (library)
		return ep_fail(err, -EBUSY,
			"the program uses libunwind itself; evprof's own walker follows the stacks");
	library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return ep_fail(err, -ENOSYS,
			"libunwind is not installed (apt-get install libunwind8); evprof's own walker follows the stacks");
	for (size_t i = 0; i < EP_ARRAY_SIZE(symbols); i++) {
		*symbols[i].place = dlsym(library, symbols[i].name);
		if (!*symbols[i].place)
			return ep_fail(
				err, -ENOSYS, "the installed libunwind has no %s", symbols[i].name);
	}
	return replace_sigprocmask(library, err);
}

static void walk_by_libunwind(const void *context, struct ep_stack_bounds bounds,
	struct ep_unwind_memory *memory, struct ep_stack *out_stack)
{
	unw_cursor_t cursor;
	struct ep_walk first;
	unw_word_t pc, sp, last_sp = 0;
	int rc;

	is_walking = true;
	rc = unw.init_local2(&cursor, (unw_context_t *)context, UNW_INIT_SIGNAL_FRAME);

	ep_walk_begin(&first, context, bounds, memory);
	out_stack->own = first.bounds;
	memory->is_new = true; /* libunwind may have caused page faults */
	out_stack->n_frames = 0;
	out_stack->cut = false;
	while (!rc && !unw.get_reg(&cursor, UNW_REG_IP, &pc) && pc) {
		/* On Arm libunwind returns a coroutine's first frame twice: the second time ends the walk. */
		unw.get_reg(&cursor, UNW_REG_SP, &sp);
		if (out_stack->n_frames && pc == out_stack->addresses[out_stack->n_frames - 1] &&
			sp == last_sp)
			break;
		last_sp = sp;
		out_stack->cut = out_stack->n_frames == EP_STACK_MAX_FRAMES;
		if (out_stack->cut)
			break;
		out_stack->addresses[out_stack->n_frames++] = pc;
		rc = unw.step(&cursor);
		if (!rc)
			break;
		rc = rc < 0 ? rc : 0;
	}
	out_stack->broken = rc < 0;
	is_walking = false;
}

/* Opens libunwind. The first walk initialises the library: its memory, and its list of modules. */
static int open_libunwind(struct ep_error *err)
{
	static EP_LARGE struct ep_unwind_memory memory;
	static EP_LARGE struct ep_stack stack;
	ucontext_t context;
	int rc = load(err);

	if (rc)
		return rc;
	getcontext(&context);
	walk_by_libunwind(&context, (struct ep_stack_bounds){ 0, 0 }, &memory, &stack);
	return stack.n_frames ? 0 : ep_fail(err, -EPROTO, "libunwind follows no stack here");
}

const struct ep_unwinder ep_unwinder_libunwind = {
	.name = "libunwind",
	.open = open_libunwind,
	.walk = walk_by_libunwind,
	.takes_locks = true,
};
