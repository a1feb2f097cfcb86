// SPDX-License-Identifier: BSD-3-Clause
/*
 * libFuzzer target: the bytes are blocks; packed into a good member they go through the loader, the
 * names and every view. No file of this machine may be read for names: the sysroot does not exist.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "reporter/run/run.h"
#include "reporter/view/view.h"

static const struct ep_report_view *const views[] = {
	&ep_report_view_text,
	&ep_report_view_json,
	&ep_report_view_csv,
};

static int write_trace(const uint8_t *data, size_t size)
{
	static uint8_t member[EP_MEMBER_MAX_BYTES];
	static struct ep_packer *packer;
	int fd = memfd_create("trace", MFD_CLOEXEC);
	size_t n;

	if (!packer)
		packer = ep_packer_create();
	n = ep_packer_pack(packer, data, size, member);
	if (!n || write(fd, member, n) != (ssize_t)n)
		n = 0;
	return fd;
}

/* One view of each trace: they are what takes long. */
static void show(struct ep_trace *trace, uint32_t choice)
{
	static const char *const paths[] = { "x", NULL };
	struct ep_symbols_options where = { .sysroot = "/nonexistent" };
	struct ep_report_options options = { .top = 5,
		.n_bins = 40,
		.callers = true,
		.trace_paths = paths,
		.filler = &ep_filler_fixed };
	struct ep_view_options view_options = {
		.by = choice % 6, .callers = true, .width = 60 + choice % 80, .utf8 = choice & 8
	};
	struct ep_symbols *symbols = ep_symbols_create(trace, &where);
	const struct ep_report *report = ep_report_create(trace, symbols, &options);
	FILE *out = fopen("/dev/null", "w");

	if (report && views[choice % 3]->print(out, report, &view_options))
		fputs("out of memory", out);
	fclose(out);
	ep_report_destroy(report);
	ep_symbols_destroy(symbols);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ep_load_options options = { .filler = &ep_filler_fixed };
	struct ep_trace *trace;
	struct ep_error err;
	char path[64];
	int fd = write_trace(data, size);

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!ep_trace_load(path, &options, &trace, &err)) {
		show(trace, (uint32_t)(size + (size ? data[size - 1] : 0)));
		ep_trace_destroy(trace);
	}
	close(fd);
	return 0;
}
