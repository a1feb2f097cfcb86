// SPDX-License-Identifier: BSD-3-Clause
/* Makes paths of traces. Runs while the library starts and in the launcher. */
#include "common/os/trace_path.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "common/os/cpu.h"

static int append_part(char *path, size_t *used, size_t size, const char *part)
{
	size_t n = strlen(part);

	if (*used + n >= size)
		return -ENAMETOOLONG;
	memcpy(path + *used, part, n + 1);
	*used += n;
	return 0;
}

int ep_trace_path_expand(const char *pattern, int pid, const char *rank, char *out_path,
	size_t size, struct ep_error *err)
{
	struct utsname system;
	size_t used = 0;
	char part[16];
	int rc = 0;

	uname(&system);
	out_path[0] = '\0';
	for (const char *at = pattern; *at && !rc; at++) {
		const char *text = part;

		snprintf(part, sizeof(part), "%c", *at);
		if (*at == '%') {
			at++;
			if (*at == 'p')
				snprintf(part, sizeof(part), "%d", pid);
			else if (*at == 'h')
				text = system.nodename;
			else if (*at == 'r')
				text = rank ? rank : "0";
			else if (*at != '%')
				return ep_fail(err, -EINVAL,
					"output '%s': after %% comes p (pid), h (host), r (MPI rank) or another %%",
					pattern);
		}
		rc = append_part(out_path, &used, size, text);
	}
	if (rc)
		return ep_fail(err, rc, "output '%s': the path is too long", pattern);
	return 0;
}

int ep_trace_path_beside(
	const char *path, const char *id, char *out_path, size_t size, struct ep_error *err)
{
	size_t n = strlen(path), stem = n > 3 && !strcmp(path + n - 3, ".gz") ? n - 3 : n;
	int used = snprintf(out_path, size, "%.*s.%s%s", (int)stem, path, id, path + stem);

	return used < 0 || (size_t)used >= size
		       ? ep_fail(err, -ENAMETOOLONG, "output '%s': the path is too long", path)
		       : 0;
}

bool ep_trace_path_has(const char *pattern, char letter)
{
	for (const char *at = pattern; (at = strchr(at, '%')) && at[1]; at += 2)
		if (at[1] == letter)
			return true;
	return false;
}

static bool names_each(const char *pattern)
{
	return ep_trace_path_has(pattern, 'r') || ep_trace_path_has(pattern, 'p');
}

int ep_trace_path_of_rank(
	const char *pattern, int pid, char *out_path, size_t size, struct ep_error *err)
{
	const char *rank = ep_cpu_mpi_rank();
	char path[4096];
	int rc;

	if (!rank || ep_cpu_mpi_size() < 2 || names_each(pattern))
		return ep_trace_path_expand(pattern, pid, rank, out_path, size, err);
	rc = ep_trace_path_expand(pattern, pid, rank, path, sizeof(path), err);
	return rc ? rc : ep_trace_path_beside(path, rank, out_path, size, err);
}
