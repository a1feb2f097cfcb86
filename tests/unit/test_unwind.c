// SPDX-License-Identifier: BSD-3-Clause
/*
 * Stack walks frame by frame against libunwind's: at every single instruction of functions with
 * frames of every kind (x86: by the trap flag), in nested signals, on foreign stacks. Then
 * registers that make no sense, which must end the walk and nothing else.
 */
#include "tests/unit/test.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#define UNW_LOCAL_ONLY
#include <libunwind.h>

#include "common/cleanup.h"
#include "preload/unwind/cfi.h"
#include "preload/unwind/unwind.h"
#include "tests/unit/frames.h"

#define MAX_FRAMES 2048
#define PAGE 4096

static struct ep_stack_bounds main_bounds;
static struct ep_stack_bounds current_bounds;
static struct ep_unwind_memory kept;

/* The results of comparing, since handlers print nothing. */
static struct {
	long n_compared, n_different, n_unknown;
	long n_broken;
	unsigned most_frames;
	uint64_t outermost;   /* of libunwind's first walk */
	struct ep_stack ours; /* the first that differed */
	unsigned n_theirs;
	uint64_t theirs[MAX_FRAMES];
} found;

/* 0: it could not get to the end */
static unsigned walk_by_libunwind(ucontext_t *uc, uint64_t *out_addresses)
{
	unw_cursor_t cursor;
	unsigned n = 0;
	unw_word_t ip, sp, last_sp = 0;
	int rc;

	if (unw_init_local2(&cursor, (unw_context_t *)uc, UNW_INIT_SIGNAL_FRAME))
		return 0;
	do {
		if (unw_get_reg(&cursor, UNW_REG_IP, &ip) || !ip)
			break;
		/* on Arm it shows a coroutine's first frame twice */
		unw_get_reg(&cursor, UNW_REG_SP, &sp);
		if (n && ip == out_addresses[n - 1] && sp == last_sp)
			break;
		last_sp = sp;
		out_addresses[n++] = ip;
		rc = unw_step(&cursor);
	} while (n < MAX_FRAMES && rc > 0);
	return rc < 0 ? 0 : n;
}

/* libgcc's _Unwind_RaiseException gives its frame up to jump to the landing pad: for its last few
 * instructions the tables do not hold. */
static bool is_in_libgcc(uint64_t address)
{
	Dl_info info;

	return dladdr((void *)address, &info) && strstr(info.dli_fname, "libgcc_s");
}

static void compare_stacks(ucontext_t *uc)
{
	static uint64_t theirs[MAX_FRAMES];
	unsigned n_theirs = walk_by_libunwind(uc, theirs), n_expected;
	struct ep_stack ours;

	ep_unwind(uc, current_bounds, &kept, &ours);
	n_expected = n_theirs < EP_STACK_MAX_FRAMES ? n_theirs : EP_STACK_MAX_FRAMES;
	if (!found.n_compared++)
		found.outermost = n_theirs ? theirs[n_theirs - 1] : 0;
	if (ours.n_frames > found.most_frames)
		found.most_frames = ours.n_frames;
	if (ours.n_frames == n_expected && ours.cut == (n_theirs > EP_STACK_MAX_FRAMES) &&
		!ours.broken && !memcmp(ours.addresses, theirs, n_expected * sizeof(theirs[0])))
		return;
	if (!n_theirs || theirs[n_theirs - 1] != found.outermost ||
		is_in_libgcc(ours.addresses[0])) {
		found.n_unknown++; /* libunwind loses its way at some landing pads */
		return;
	}
	found.n_broken += ours.broken;
	if (ours.n_frames == n_expected && !memcmp(ours.addresses, theirs, n_expected * 8))
		return;
	if (found.n_different++)
		return;
	found.ours = ours;
	found.n_theirs = n_theirs;
	memcpy(found.theirs, theirs, sizeof(theirs));
}

static void on_signal(int sig, siginfo_t *info, void *context)
{
	compare_stacks(context);
}

static void install(int sig, void (*handler)(int, siginfo_t *, void *), int flags)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags };

	sigaction(sig, &action, NULL);
}

static void show_frame(uint64_t address)
{
	Dl_info info = { .dli_fname = "?" };

	dladdr((void *)address, &info);
	printf(" %#llx %s+%#llx", (unsigned long long)address, info.dli_fname,
		(unsigned long long)(address - (uint64_t)info.dli_fbase));
}

static void show_difference(void)
{
	printf("# frame: ours, libunwind's\n");
	for (unsigned i = 0; i < 40 && (i < found.ours.n_frames || i < found.n_theirs); i++) {
		printf("# %u:", i);
		show_frame(i < found.ours.n_frames ? found.ours.addresses[i] : 0);
		show_frame(i < found.n_theirs ? found.theirs[i] : 0);
		printf("\n");
	}
}

static void begin_comparing(void)
{
	static bool is_set;
	extern char **environ;

	if (!is_set) {
		main_bounds.high = (uint64_t)environ;
		main_bounds.low = main_bounds.high - (8 << 20);
		is_set = true;
	}
	current_bounds = main_bounds;
	memset(&found, 0, sizeof(found));
	install(SIGUSR1, on_signal, 0);
	install(SIGTRAP, on_signal, 0);
}

static void end_comparing(const char *what, long n_at_least)
{
	signal(SIGUSR1, SIG_DFL);
	signal(SIGTRAP, SIG_DFL);
	CHECK_MSG(found.n_compared >= n_at_least, "%s: only %ld stacks compared", what,
		found.n_compared);
	CHECK_MSG(found.n_unknown <= found.n_compared / 1000, "%s: %ld of %ld stacks not known",
		what, found.n_unknown, found.n_compared);
	CHECK_MSG(!found.n_different, "%s: %ld of %ld stacks differ", what, found.n_different,
		found.n_compared);
	CHECK_MSG(!found.n_broken, "%s: %ld stacks could not be followed", what, found.n_broken);
	if (found.n_different)
		show_difference();
}

static void interrupt(void)
{
	raise(SIGUSR1);
}

static void do_nothing(void)
{
}

static const struct {
	const char *name;
	frames_fn run;
	unsigned n_frames;
} shapes[] = {
	{ "plain", frames_plain, 4 },
	{ "many arguments", frames_many_arguments, 4 },
	{ "deep", frames_deep, 150 },
	{ "too deep", frames_too_deep, EP_STACK_MAX_FRAMES },
	{ "alloca", frames_alloca, 4 },
	{ "realigned", frames_realigned, 4 },
	{ "tail call", frames_tail_call, 4 },
	{ "libc calls back", frames_plt, 4 },
	{ "cleanup", frames_cleanup, 4 },
#ifdef HAVE_THROW
	{ "exception", frames_throw, 4 },
#endif
};

TEST(stacks_in_a_leaf)
{
	for (size_t i = 0; i < EP_ARRAY_SIZE(shapes); i++) {
		begin_comparing();
		shapes[i].run(interrupt);
		CHECK_MSG(found.most_frames >= shapes[i].n_frames, "%s: %u frames", shapes[i].name,
			found.most_frames);
		end_comparing(shapes[i].name, 1);
	}
}

#if defined(__x86_64__)
/* Every instruction until it is taken back raises SIGTRAP: prologues, PLT entries, the dynamic
 * linker's lookups, landing pads. */
static void set_trap_flag(void)
{
	__asm__ volatile("lea -128(%%rsp), %%rsp\n\tpushfq\n\torq $0x100, (%%rsp)\n\tpopfq\n\t"
			 "lea 128(%%rsp), %%rsp" ::
				 : "memory", "cc");
}

static void clear_trap_flag(void)
{
	__asm__ volatile("lea -128(%%rsp), %%rsp\n\tpushfq\n\tandq $~0x100, (%%rsp)\n\tpopfq\n\t"
			 "lea 128(%%rsp), %%rsp" ::
				 : "memory", "cc");
}

TEST(stacks_at_every_instruction)
{
	for (size_t i = 0; i < EP_ARRAY_SIZE(shapes); i++) {
		begin_comparing();
		set_trap_flag();
		shapes[i].run(do_nothing);
		clear_trap_flag();
		end_comparing(shapes[i].name, 15);
	}
}

TEST(stacks_at_every_instruction_of_libc)
{
	char text[100];

	begin_comparing();
	set_trap_flag();
	snprintf(text, sizeof(text), "%d %s %.3f", 42, "words", 2.5);
	free(malloc(100000));
	clear_trap_flag();
	end_comparing("snprintf, malloc", 1000);
	CHECK_STR(text, "42 words 2.500");
}
#endif

static void raise_inside(int sig)
{
	frames_realigned(interrupt);
}

TEST(stacks_through_a_signal_frame)
{
	begin_comparing();
	signal(SIGUSR2, raise_inside);
	raise(SIGUSR2);
	CHECK(found.most_frames >= 8);
	end_comparing("nested signals", 2);
}

TEST(stacks_through_a_signal_frame_on_its_own_stack)
{
	EP_AUTOFREE char *memory = malloc(1 << 16);
	stack_t stack = { .ss_sp = memory, .ss_size = 1 << 16 }, old;
	struct sigaction action = { .sa_handler = raise_inside, .sa_flags = SA_ONSTACK };

	begin_comparing();
	sigaltstack(&stack, &old);
	sigaction(SIGUSR2, &action, NULL);
	raise(SIGUSR2);
	CHECK(found.most_frames >= 8);
	end_comparing("alternate stack", 2);
	old.ss_flags = SS_DISABLE;
	sigaltstack(&old, NULL);
}

static void *in_thread(void *unused)
{
	uint64_t high = (uint64_t)__builtin_frame_address(0) + 256;

	current_bounds = (struct ep_stack_bounds){ high - (1 << 20), high };
	frames_alloca(interrupt);
	return NULL;
}

TEST(stacks_of_a_thread)
{
	pthread_t id;

	begin_comparing();
	pthread_create(&id, NULL, in_thread, NULL);
	pthread_join(id, NULL);
	end_comparing("thread", 2);
}

static ucontext_t coroutine, caller;

static void in_coroutine(void)
{
	frames_alloca(interrupt);
	swapcontext(&coroutine, &caller);
}

TEST(stacks_of_a_coroutine)
{
	EP_AUTOFREE char *memory = malloc(1 << 16);

	begin_comparing();
	getcontext(&coroutine);
	coroutine.uc_stack.ss_sp = memory;
	coroutine.uc_stack.ss_size = 1 << 16;
	coroutine.uc_link = &caller;
	makecontext(&coroutine, in_coroutine, 0);
	swapcontext(&caller, &coroutine);
	found.n_broken = 0; /* a coroutine's first frame says of itself that it has a caller */
	end_comparing("coroutine", 2);
}

/* ---- what no program should have in its registers ---- */

/* The memory of a thread is used, but not after a module was unloaded or after a fork. */
static void check_forgetting(void (*forget)(void))
{
	struct ep_frame_rule outermost = { .cfa = EP_CFA_OUTERMOST };
	struct ep_stack first, last;
	ucontext_t uc;

	CHECK_INT(getcontext(&uc), 0);
	ep_unwind(&uc, main_bounds, &kept, &first);
	CHECK(first.n_frames > 2);
	for (size_t i = 0; i < EP_UNWIND_RULES; i++)
		memcpy(&kept.rules[i].rule, &outermost, sizeof(outermost));
	/* the leaf's may have had to make room for another frame's */
	ep_unwind(&uc, main_bounds, &kept, &last);
	CHECK(last.n_frames < first.n_frames);
	CHECK(!kept.is_new);
	forget();
	ep_unwind(&uc, main_bounds, &kept, &last);
	CHECK(kept.is_new);
	CHECK_INT(last.n_frames, first.n_frames);
	CHECK(!memcmp(last.addresses, first.addresses, sizeof(uint64_t) * first.n_frames));
}

/* Generations' numbers come again. */
static void forget_often(void)
{
	for (int i = 0; i < 1 << 16; i++)
		ep_unwind_forget();
}

TEST(forgotten_rules_are_found_anew)
{
	check_forgetting(ep_unwind_forget);
	check_forgetting(ep_unwind_after_fork);
	check_forgetting(forget_often);
}

#if defined(__x86_64__)
static uint64_t random_state = 88172645463325252ull;

static uint64_t next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static uint64_t odd_value(const uint64_t *edges, size_t n_edges)
{
	uint64_t value = next_random();

	switch (value % 4) {
	case 0:
		return edges[next_random() % n_edges];
	case 1:
		return edges[next_random() % n_edges] + (int64_t)(next_random() % 129) - 64;
	case 2:
		return (uint64_t)show_difference + next_random() % 4096;
	default:
		return next_random() >> (next_random() % 64);
	}
}

/* A readable page between two that are not. */
static uint64_t map_lonely_page(void)
{
	char *memory = mmap(NULL, 3 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	mprotect(memory + PAGE, PAGE, PROT_READ | PROT_WRITE);
	for (size_t i = 0; i < PAGE / 8; i++)
		((uint64_t *)(memory + PAGE))[i] =
			next_random() % 2 ? (uint64_t)memory + i * 8 : (uint64_t)frames_plain + i;
	return (uint64_t)memory + PAGE;
}

TEST(rubbish_in_registers_does_not_fault)
{
	uint64_t page = map_lonely_page();
	uint64_t edges[] = { 0, 8, PAGE, page, page + PAGE, page + PAGE - 8, page - 8,
		(uint64_t)&page, (uint64_t)frames_plain, UINT64_MAX, UINT64_MAX - 7, 1ull << 47,
		(uint64_t)printf, (uint64_t)&errno, 0xffffffffff600000ull };
	struct ep_stack_bounds bounds[] = { main_bounds, { page, page + PAGE }, { 0, 0 } };
	ucontext_t uc = { 0 };
	struct ep_stack stack;

	for (int i = 0; i < 200000; i++) {
		uint64_t pc = odd_value(edges, EP_ARRAY_SIZE(edges));
		uint64_t sp = odd_value(edges, EP_ARRAY_SIZE(edges));

		uc.uc_mcontext.gregs[REG_RIP] = (greg_t)pc;
		uc.uc_mcontext.gregs[REG_RBP] = odd_value(edges, EP_ARRAY_SIZE(edges));
		/* the thread's own stack is read directly: only with a stack pointer that is real
		 */
		if (sp >= main_bounds.low && sp < (uint64_t)&page)
			sp = (uint64_t)&page;
		uc.uc_mcontext.gregs[REG_RSP] = (greg_t)sp;
		ep_unwind(&uc, bounds[i % 3], &kept, &stack);
		CHECK_MSG(stack.n_frames >= 1 && stack.n_frames <= EP_STACK_MAX_FRAMES, "%u frames",
			stack.n_frames);
		CHECK(stack.addresses[0] == pc);
	}
	munmap((void *)(page - PAGE), 3 * PAGE);
}

/* Two frames that are each other's caller. */
TEST(a_ring_of_frame_pointers_ends)
{
	uint64_t page = map_lonely_page(), *words = (uint64_t *)page;
	ucontext_t uc = { 0 };
	struct ep_stack stack;

	words[0] = page + 32;
	words[1] = page; /* no code: frame pointers are followed */
	words[4] = page;
	words[5] = page;
	uc.uc_mcontext.gregs[REG_RIP] = page;
	uc.uc_mcontext.gregs[REG_RSP] = uc.uc_mcontext.gregs[REG_RBP] = page;
	ep_unwind(&uc, (struct ep_stack_bounds){ page, page + PAGE }, &kept, &stack);
	CHECK_INT(stack.n_frames, 3);
	CHECK(stack.broken);
	munmap((void *)(page - PAGE), 3 * PAGE);
}
#endif
