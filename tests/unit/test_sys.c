// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/test.h"

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include "common/os/sys.h"

TEST(errors_are_values_and_errno_stays)
{
	errno = 123;
	CHECK_INT(ep_sys_close(-1), -EBADF);
	CHECK_INT(ep_sys_open("/no/such/file", O_RDONLY, 0), -ENOENT);
	CHECK_INT(ep_sys_read(-1, NULL, 0), -EBADF);
	CHECK_INT(ep_sys_fcntl(-1, F_GETFD, 0), -EBADF);
	CHECK_INT(errno, 123);
}

TEST(arguments_reach_the_kernel_in_their_places)
{
	char first[] = "abc", second[] = "defgh", text[9] = "";
	struct {
		void *base;
		size_t size;
	} from[2] = { { first, 3 }, { second, 5 } }, to = { text, 8 };

	/* six arguments: process_vm_readv */
	CHECK_INT(ep_sys(__NR_process_vm_readv, ep_sys_getpid(), &to, 1, from, 2, 0), 8);
	CHECK_STR(text, "abcdefgh");
	CHECK_INT(ep_sys(__NR_process_vm_readv, ep_sys_getpid(), &to, 1, from, 2, 99), -EINVAL);
	CHECK_INT(ep_sys_getpid(), getpid());
	CHECK_INT(ep_sys_gettid(), gettid());
}

TEST(mapped_memory_is_zeroed)
{
	size_t size = 3 << 20;
	char *memory = ep_sys_map(size);

	CHECK(memory != NULL);
	for (size_t i = 0; i < size; i += 1000)
		CHECK(memory[i] == 0);
	memset(memory, 1, size);
	ep_sys_unmap(memory, size);
	ep_sys_unmap(NULL, size);
	CHECK(ep_sys_map(1ull << 60) == NULL);
}

TEST(files_are_read_up_to_the_capacity)
{
	char path[] = "/tmp/evprof-test-XXXXXX", text[16];
	int fd = mkstemp(path);

	CHECK_INT(write(fd, "0123456789abcdefghij", 20), 20);
	close(fd);
	CHECK_INT(ep_sys_read_file(path, text, sizeof(text)), 15);
	CHECK_STR(text, "0123456789abcde");
	CHECK_INT(ep_sys_read_file(path, text, 1), 0);
	CHECK_STR(text, "");
	unlink(path);
	CHECK_INT(ep_sys_read_file(path, text, sizeof(text)), -ENOENT);
}

TEST(signal_masks_and_actions)
{
	uint64_t usr1 = 1ull << (SIGUSR1 - 1), old = 0, now = 0;
	struct ep_kernel_sigaction action;

	CHECK_INT(ep_sys_sigmask(SIG_BLOCK, &usr1, &old), 0);
	CHECK_INT(ep_sys_sigmask(SIG_SETMASK, &old, &now), 0);
	CHECK_INT(now, old | usr1);
	signal(SIGUSR1, SIG_IGN);
	CHECK_INT(ep_sys_sigaction(SIGUSR1, NULL, &action), 0);
	CHECK(action.handler == (void *)SIG_IGN);
	CHECK_INT(ep_sys_sigaction(SIGKILL, &action, NULL), -EINVAL);
}
