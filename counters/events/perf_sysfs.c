// SPDX-License-Identifier: BSD-3-Clause
/*
 * Encodes pmu/field=value,.../ by the PMU's format files, and pmu/alias/ by its event files
 * (Documentation/ABI/testing/sysfs-bus-event_source-devices-{format,events}). Runs at the start; reads files without
 * stdio, and allocates nothing.
 */
#include "perf_sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"

#define TERMS_BYTES 512

struct pmu {
	char folder[PATH_MAX];
	const char *written; /* the event as the user wrote it, for messages */
};

bool ep_perf_sysfs_is(const char *name)
{
	const char *slash = strchr(name, '/');

	return slash && slash > name && slash[1] && name[strlen(name) - 1] == '/';
}

/* Reads a short file's first line. */
static int read_line(
	const struct pmu *pmu, const char *folder, const char *file, char *out, size_t size_bytes)
{
	char path[PATH_MAX + 256];

	if (snprintf(path, sizeof(path), "%s/%s%s", pmu->folder, folder, file) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	EP_AUTOCLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ssize_t n_bytes = read(fd, out, size_bytes - 1);
	if (n_bytes < 0)
		return -errno;
	out[n_bytes] = '\0';
	out[strcspn(out, "\n")] = '\0';
	return 0;
}

/* Reads a number that is the whole text, in decimal, or in hexadecimal with 0x. */
static int read_number(const char *text, uint64_t *out_value)
{
	unsigned base = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10;
	uint64_t value = 0;

	text += base == 16 ? 2 : 0;
	if (!*text)
		return -EINVAL;
	for (; *text; text++) {
		const char *digits = "0123456789abcdef";
		char c = *text >= 'A' && *text <= 'F' ? (char)(*text - 'A' + 'a') : *text;
		const char *at = strchr(digits, c);

		if (!at || at - digits >= base || value > (UINT64_MAX - 15) / base)
			return -EINVAL;
		value = value * base + (uint64_t)(at - digits);
	}
	*out_value = value;
	return 0;
}

static uint64_t *find_config(struct ep_event *event, const char *name, size_t size)
{
	if (size == 6 && !strncmp(name, "config", 6))
		return &event->config;
	if (size == 7 && !strncmp(name, "config1", 7))
		return &event->config1;
	if (size == 7 && !strncmp(name, "config2", 7))
		return &event->config2;
	return NULL;
}

static const char *read_bit(const char *text, unsigned *out_bit)
{
	unsigned bit = 0;
	const char *at = text;

	for (; *at >= '0' && *at <= '9' && bit < 64; at++)
		bit = bit * 10 + (unsigned)(*at - '0');
	*out_bit = bit;
	return at > text && bit < 64 ? at : NULL;
}

/* Distributes value over the bits of a format such as "config:0-7,32-35", low bits first. */
static int spread(const char *format, uint64_t value, struct ep_event *event)
{
	const char *at = strchr(format, ':');
	uint64_t *config = at ? find_config(event, format, (size_t)(at - format)) : NULL;

	if (!config)
		return -EINVAL;
	do {
		unsigned first, last;

		at = read_bit(at + 1, &first);
		if (!at)
			return -EINVAL;
		last = first;
		if (*at == '-' && !(at = read_bit(at + 1, &last)))
			return -EINVAL;
		for (unsigned bit = first; bit <= last; bit++, value >>= 1)
			*config |= (value & 1) << bit;
	} while (*at == ',');
	return value ? -ERANGE : 0;
}

static int set_field(const struct pmu *pmu, const char *field, const char *text,
	struct ep_event *event, struct ep_error *err)
{
	uint64_t *config = find_config(event, field, strlen(field));
	uint64_t value = 1;
	char format[128];

	if (text && read_number(text, &value))
		return ep_fail(
			err, -EINVAL, "event '%s': '%s' is not a number", pmu->written, text);
	if (config) {
		*config |= value;
		return 0;
	}
	if (read_line(pmu, "format/", field, format, sizeof(format)))
		return ep_fail(err, -EINVAL,
			"event '%s': '%s' is no field of this PMU (see %s/format)", pmu->written,
			field, pmu->folder);
	int rc = spread(format, value, event);
	if (rc == -ERANGE)
		return ep_fail(err, -EINVAL, "event '%s': %s does not fit into '%s' (%s)",
			pmu->written, text ? text : "1", field, format);
	if (rc)
		return ep_fail(err, -EINVAL,
			"event '%s': the kernel's format '%s' is not understood", pmu->written,
			format);
	return 0;
}

/* Sets fields from terms such as "event=0x3c,umask=1,edge". terms is changed. */
static int set_fields(
	const struct pmu *pmu, char *terms, struct ep_event *event, struct ep_error *err)
{
	char *save = NULL;

	for (char *term = strtok_r(terms, ",", &save); term; term = strtok_r(NULL, ",", &save)) {
		char *value = strchr(term, '=');

		if (value)
			*value++ = '\0';
		int rc = set_field(pmu, term, value, event, err);
		if (rc)
			return rc;
	}
	return 0;
}

/* Replaces an alias by its terms; terms that the user added follow them. */
static int expand_alias(const struct pmu *pmu, char terms[TERMS_BYTES], struct ep_error *err)
{
	size_t size = strcspn(terms, ",");
	char alias[128], expansion[TERMS_BYTES], whole[2 * TERMS_BYTES];

	if (memchr(terms, '=', size) || size >= sizeof(alias))
		return 0;
	snprintf(alias, sizeof(alias), "%.*s", (int)size, terms);
	if (read_line(pmu, "format/", alias, expansion, sizeof(expansion)) == 0)
		return 0; /* the name is a field of one bit and no alias */
	if (read_line(pmu, "events/", alias, expansion, sizeof(expansion)))
		return ep_fail(err, -ENOENT,
			"event '%s': '%s' is no event of this PMU (see %s/events)", pmu->written,
			alias, pmu->folder);
	snprintf(whole, sizeof(whole), "%s%s", expansion, terms + size);
	if (strlen(whole) >= TERMS_BYTES)
		return ep_fail(err, -EINVAL, "event '%s' is too long", pmu->written);
	memcpy(terms, whole, strlen(whole) + 1);
	return 0;
}

int ep_perf_sysfs_encode(
	const char *root, const char *name, struct ep_event *out_event, struct ep_error *err)
{
	struct pmu pmu = { .written = name };
	struct ep_event event = *out_event;
	size_t pmu_size = strcspn(name, "/"), size = strlen(name);
	char terms[TERMS_BYTES], text[32];
	uint64_t type;

	if (size - pmu_size >= sizeof(terms))
		return ep_fail(err, -EINVAL, "event '%.100s...' is too long", name);
	if (size < pmu_size + 2 || name[0] == '.')
		return ep_fail(err, -EINVAL, "event '%s' is not of the form pmu/event/", name);
	snprintf(pmu.folder, sizeof(pmu.folder), "%s/%.*s", root, (int)pmu_size, name);
	snprintf(terms, sizeof(terms), "%.*s", (int)(size - pmu_size - 2), name + pmu_size + 1);
	if (strstr(terms, ".."))
		return ep_fail(err, -EINVAL, "event '%s': '..' is no event", name);
	if (read_line(&pmu, "", "type", text, sizeof(text)) || read_number(text, &type))
		return ep_fail(err, -ENOENT, "event '%s': the kernel has no PMU '%.*s' (see %s)",
			name, (int)pmu_size, name, root);
	int rc = expand_alias(&pmu, terms, err);
	if (!rc)
		rc = set_fields(&pmu, terms, &event, err);
	if (rc)
		return rc;
	event.type = (uint32_t)type;
	/* The PMU msr belongs to the kernel's software events: it needs no counter, and may be in a group with any
	 * event (arch/x86/events/msr.c). */
	if (!strncmp(name, "msr/", 4))
		event.flags |= EP_EVENT_SOFTWARE;
	*out_event = event;
	return 0;
}
