// SPDX-License-Identifier: BSD-3-Clause
/* Go is told by its note in what is loaded, and by section names in files; go_note.c stands in. */
#include "tests/unit/test.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/os/go.h"
#include "common/os/sys.h"
#include "preload/process/process.h"
#include "preload/process/signals.h"

/* Beside this program. */
static const char *go_library(void)
{
	static char path[PATH_MAX + 32];
	ssize_t size = readlink("/proc/self/exe", path, PATH_MAX);

	while (size > 0 && path[size - 1] != '/')
		size--;
	strcpy(path + (size > 0 ? size : 0), "libgo_note.so");
	return path;
}

static bool is_in_file(const char *path)
{
	EP_AUTOCLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);

	return ep_go_is_in(fd);
}

TEST(files)
{
	CHECK(is_in_file(go_library()));
	CHECK(!is_in_file("/proc/self/exe"));
	CHECK(!is_in_file("/dev/null"));
	CHECK(!is_in_file("/etc/passwd"));
	CHECK(!ep_go_is_in(-1));
}

/* Cut anywhere: an answer, and nothing read that is not there. */
TEST(cut_files)
{
	static char bytes[1 << 18]; /* Arm's and POWER's segments are 64 KiB apart */
	char path[] = "/tmp/evprof-go-XXXXXX";
	EP_AUTOCLOSE int from = open(go_library(), O_RDONLY | O_CLOEXEC);
	EP_AUTOCLOSE int to = mkstemp(path);
	ssize_t size = read(from, bytes, sizeof(bytes));

	CHECK(size > 1000 && size < (ssize_t)sizeof(bytes));
	CHECK_INT(write(to, bytes, (size_t)size), size);
	CHECK(ep_go_is_in(to));
	for (; size >= 0; size -= size > 4096 ? 61 : 7) {
		CHECK(!ftruncate(to, size));
		(void)ep_go_is_in(to);
	}
	CHECK(!ep_go_is_in(to));
	unlink(path);
}

static bool ticks_on_the_other_stack(void)
{
	struct ep_kernel_sigaction action;

	CHECK_INT(ep_sys_sigaction(EP_SLICE_SIGNAL, NULL, &action), 0);
	return action.flags & SA_ONSTACK;
}

/* From then on a tick's frame goes to the thread's alternate stack. */
TEST(a_library_that_comes)
{
	void *handle;

	CHECK(!ep_go_is_loaded());
	CHECK(!ep_go_runs_alone());
	ep_signals_begin();
	ep_signals_program_sets_alternate();
	ep_signals_around_thread_create();
	CHECK(!ticks_on_the_other_stack());
	handle = dlopen(go_library(), RTLD_NOW | RTLD_LOCAL);
	CHECK_MSG(handle, "%s", dlerror());
	CHECK(ep_go_is_loaded());
	CHECK(!ep_go_runs_alone()); /* it is not the program */
	ep_signals_around_thread_create();
	CHECK(ticks_on_the_other_stack());
	if (handle)
		dlclose(handle);
	CHECK(!ep_go_is_loaded());
	ep_signals_end();
}
