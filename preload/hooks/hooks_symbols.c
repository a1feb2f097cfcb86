// SPDX-License-Identifier: BSD-3-Clause
/*
 * A hook of dlsym. A program may look up pthread_create in the C library itself (Free Pascal's programs do) and so
 * avoid evprof's hook. Its threads would not be measured, and with the first of them glibc would replace the tick's
 * handler by its own. For such a look-up the hook returns evprof's function. For all other look-ups the hook jumps to
 * the real dlsym and does not call it, since RTLD_NEXT depends on the return address.
 */
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <threads.h>

#include "hooks.h"

#if defined(__x86_64__) || defined(__aarch64__)
void *ep_symbols_find(void *handle, const char *name) __attribute__((visibility("hidden")));
void *(*ep_symbols_real)(void *handle, const char *name) __attribute__((visibility("hidden")));

#if defined(__x86_64__)
#define FIRST_VERSION "GLIBC_2.2.5"
#else
#define FIRST_VERSION "GLIBC_2.17"
#endif

/* Finds the real dlsym. Every glibc has dlsym with the architecture's first version of symbols; before glibc 2.34 it is
 * in libdl. This version is tried first, since a look-up that fails would leave its message for the program's
 * dlerror. */
static EP_EARLY void find_real(void)
{
	static const char *const versions[] = { FIRST_VERSION, "GLIBC_2.34" };

	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]) && !ep_symbols_real; i++)
		ep_symbols_real =
			(__typeof__(ep_symbols_real))dlvsym(RTLD_NEXT, "dlsym", versions[i]);
}

static EP_EARLY bool is(const char *name, const char *other)
{
	return *name == *other && !strcmp(name, other);
}

/* Returns evprof's function if the real dlsym would find the function of this process's libc. Returns NULL if the real
 * dlsym shall answer. It shall also answer for the libc of another namespace, whose function the program asks for. */
EP_EARLY void *ep_symbols_find(void *handle, const char *name)
{
	void *found;

	if (!ep_symbols_real)
		find_real();
	if (handle == RTLD_NEXT || handle == RTLD_DEFAULT || !name ||
		!(is(name, "pthread_create") || is(name, "thrd_create")))
		return NULL;
	found = ep_symbols_real(handle, name);
	if (found && found == ep_symbols_real(RTLD_NEXT, name))
		return *name == 'p' ? (void *)pthread_create : (void *)thrd_create;
	return NULL;
}
#endif

#if defined(__x86_64__)
__asm__("	.text\n"
	"	.globl dlsym\n"
	"	.type dlsym, @function\n"
	"dlsym:\n"
	"	.cfi_startproc\n"
	"	endbr64\n"
	"	push %rdi\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	push %rsi\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	sub $8, %rsp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	call ep_symbols_find\n"
	"	add $8, %rsp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	pop %rsi\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	pop %rdi\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	test %rax, %rax\n"
	"	jne 1f\n"
	"	jmp *ep_symbols_real(%rip)\n"
	"1:	ret\n"
	"	.cfi_endproc\n"
	"	.size dlsym, .-dlsym\n");
#elif defined(__aarch64__)
__asm__("	.text\n"
	"	.globl dlsym\n"
	"	.type dlsym, %function\n"
	"dlsym:\n"
	"	.cfi_startproc\n"
	"	hint #34\n" /* bti c: programs call dlsym through a pointer */
	"	stp x29, x30, [sp, -32]!\n"
	"	.cfi_def_cfa_offset 32\n"
	"	.cfi_offset 29, -32\n"
	"	.cfi_offset 30, -24\n"
	"	stp x0, x1, [sp, 16]\n"
	"	bl ep_symbols_find\n"
	"	mov x2, x0\n"
	"	ldp x0, x1, [sp, 16]\n"
	"	ldp x29, x30, [sp], 32\n"
	"	.cfi_def_cfa_offset 0\n"
	"	.cfi_restore 29\n"
	"	.cfi_restore 30\n"
	"	cbnz x2, 1f\n"
	"	adrp x16, ep_symbols_real\n"
	"	ldr x16, [x16, :lo12:ep_symbols_real]\n"
	"	br x16\n"
	"1:	mov x0, x2\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"	.size dlsym, .-dlsym\n");
#endif
