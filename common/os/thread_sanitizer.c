// SPDX-License-Identifier: BSD-3-Clause
/* Finds ThreadSanitizer by the symbols that the loader has bound, without a call or a file. */
#include "thread_sanitizer.h"

#ifdef __SANITIZE_THREAD__
bool ep_thread_sanitizer_is_here(void)
{
	return false; /* evprof itself was built with the sanitizer for a test */
}
#else

#include <link.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/auxv.h>

#include "common/cleanup.h"

/* These functions are weak, since before glibc 2.34 a program may run without libpthread. */
#pragma weak pthread_barrier_wait
#pragma weak pthread_rwlock_timedwrlock
#pragma weak pthread_spin_trylock

static uint64_t base_of(const ElfW(Phdr) * headers, uint64_t n_headers)
{
	for (uint64_t i = 0; i < n_headers; i++)
		if (headers[i].p_type == PT_PHDR)
			return (uint64_t)headers - headers[i].p_vaddr;
	return 0;
}

static bool is_in_program(uint64_t address)
{
	const ElfW(Phdr) *headers = (const ElfW(Phdr) *)getauxval(AT_PHDR);
	uint64_t n_headers = headers ? getauxval(AT_PHNUM) : 0, base = base_of(headers, n_headers);

	for (uint64_t i = 0; i < n_headers; i++)
		if (headers[i].p_type == PT_LOAD &&
			address - base - headers[i].p_vaddr < headers[i].p_memsz)
			return true;
	return false;
}

/* Tells whether the runtime is linked into the program. GCC's -static-libtsan hides the runtime's own names, but not
 * the names of libc's functions that it replaces, and no other sanitizer replaces these three. If a program at a fixed
 * address takes the address of one of them, the program contains a stub for that one. So all three are checked. */
static bool is_linked_in(void)
{
	const uint64_t functions[] = { (uint64_t)pthread_barrier_wait,
		(uint64_t)pthread_rwlock_timedwrlock, (uint64_t)pthread_spin_trylock };

	for (size_t i = 0; i < EP_ARRAY_SIZE(functions); i++)
		if (!is_in_program(functions[i]))
			return false;
	return true;
}

bool ep_thread_sanitizer_is_here(void)
{
	extern void __tsan_init(void) __attribute__((weak));

	return __tsan_init || is_linked_in();
}
#endif
