// SPDX-License-Identifier: BSD-3-Clause
/* Reads energy from files: powercap's zones (Documentation/power/powercap/powercap.rst), and drivers of hwmon that add
 * up energy (Documentation/hwmon/sysfs-interface.rst: energyN_input, in uJ). */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/os/sys.h"
#include "machine_reader.h"

enum { MOST_ZONES = 16, MOST_SUBZONES = 4, MOST_DRIVERS = 32, MOST_INPUTS = 64 };

/* More power than any package takes. If the energy at this power since the last reading exceeds a file's range, the
 * number of wraps is not known. */
#define MOST_UJ_PER_S 1e9

/* Reads the first line of a file, without the newline. */
static bool read_text(const char *path, char *out, size_t size)
{
	if (ep_sys_read_file(path, out, size) <= 0)
		return false;
	out[strcspn(out, "\n")] = '\0';
	return true;
}

static bool read_number(const char *path, uint64_t *out_value)
{
	char text[32];

	if (ep_sys_read_file(path, text, sizeof(text)) <= 0 || text[0] < '0' || text[0] > '9')
		return false;
	*out_value = 0;
	for (const char *at = text; *at >= '0' && *at <= '9'; at++)
		*out_value = *out_value * 10 + (uint64_t)(*at - '0');
	return true;
}

static void add_file(struct ep_machine_reader *reader, enum ep_machine_time what, const char *path,
	uint64_t range)
{
	struct ep_machine_file *file = &reader->files[reader->n_files];
	uint64_t now;

	if (reader->n_files == EP_MACHINE_MAX_FILES || strlen(path) >= sizeof(file->path))
		return;
	/* A file that cannot be read is kept as well: ep_machine_files_read fails to read it and marks the sum as
	 * unknown, since the sum would lack a part of the machine. */
	if (!read_number(path, &now)) {
		snprintf(reader->why_not[what], sizeof(reader->why_not[what]),
			"%.100s cannot be read; root can read it", path);
		now = 0;
	}
	*file = (struct ep_machine_file){ .what = what, .range = range, .last = now };
	snprintf(file->path, sizeof(file->path), "%s", path);
	reader->n_files++;
	reader->is_read[what] = true;
}

/* Adds a zone's file if the zone has the wanted name. zone is a folder such as "intel-rapl:0"; the kernel uses this
 * name for AMD's packages, too. */
static void add_zone(struct ep_machine_reader *reader, const char *root, const char *zone,
	const char *wanted_name, enum ep_machine_time what)
{
	char folder[96], path[160], name[32];
	uint64_t range = 0;

	snprintf(folder, sizeof(folder), "%.40s/sys/class/powercap/%s", root, zone);
	snprintf(path, sizeof(path), "%s/name", folder);
	if (!read_text(path, name, sizeof(name)) ||
		strncmp(name, wanted_name, strlen(wanted_name)) != 0)
		return;
	snprintf(path, sizeof(path), "%s/max_energy_range_uj", folder);
	if (read_number(path, &range))
		range++;
	snprintf(path, sizeof(path), "%s/energy_uj", folder);
	add_file(reader, what, path, range);
}

static void open_powercap(struct ep_machine_reader *reader, const char *root)
{
	bool has_package = reader->is_read[EP_MACHINE_PACKAGE_UJ],
	     has_memory = reader->is_read[EP_MACHINE_MEMORY_UJ];

	for (int i = 0; i < MOST_ZONES; i++) {
		char zone[48];

		snprintf(zone, sizeof(zone), "intel-rapl:%d", i);
		if (!has_package)
			add_zone(reader, root, zone, "package-", EP_MACHINE_PACKAGE_UJ);
		for (int k = 0; !has_memory && k < MOST_SUBZONES; k++) {
			snprintf(zone, sizeof(zone), "intel-rapl:%d:%d", i, k);
			add_zone(reader, root, zone, "dram", EP_MACHINE_MEMORY_UJ);
		}
	}
}

/* Tells whether a label is that of a whole socket: "Esocket0" of amd_energy, "Chip 0" of ibmpowernv (parts of a chip
 * have one more word: "Chip 0 Vdd"). */
static bool is_socket(const char *driver, const char *label)
{
	if (!strcmp(driver, "amd_energy"))
		return !strncmp(label, "Esocket", 7);
	if (strcmp(driver, "ibmpowernv") != 0 || strncmp(label, "Chip ", 5) != 0)
		return false;
	label += 5 + strspn(label + 5, "0123456789");
	return label[strspn(label, " ")] == '\0';
}

static void open_hwmon(struct ep_machine_reader *reader, const char *root)
{
	for (int i = 0; i < MOST_DRIVERS; i++) {
		char folder[96], path[160], driver[32], label[48];

		snprintf(folder, sizeof(folder), "%.40s/sys/class/hwmon/hwmon%d", root, i);
		snprintf(path, sizeof(path), "%s/name", folder);
		if (!read_text(path, driver, sizeof(driver)))
			continue;
		for (int k = 1; k <= MOST_INPUTS; k++) {
			snprintf(path, sizeof(path), "%s/energy%d_label", folder, k);
			if (!read_text(path, label, sizeof(label)))
				break;
			snprintf(path, sizeof(path), "%s/energy%d_input", folder, k);
			if (is_socket(driver, label))
				add_file(reader, EP_MACHINE_PACKAGE_UJ, path, 0);
		}
	}
}

static bool is_there(const char *root, const char *folder)
{
	char path[96];

	snprintf(path, sizeof(path), "%.40s%s", root, folder);
	return !access(path, F_OK);
}

void ep_machine_files_open(struct ep_machine_reader *reader, const char *root)
{
	if (is_there(root, "/sys/class/powercap/intel-rapl:0"))
		open_powercap(reader, root);
	if (!reader->is_read[EP_MACHINE_PACKAGE_UJ] && is_there(root, "/sys/class/hwmon"))
		open_hwmon(reader, root);
	for (int what = EP_MACHINE_PACKAGE_UJ; what <= EP_MACHINE_MEMORY_UJ; what++)
		if (!reader->is_read[what] && !reader->why_not[what][0])
			snprintf(reader->why_not[what], sizeof(reader->why_not[what]),
				"neither perf's PMU power nor powercap nor hwmon has it");
	for (int what = EP_MACHINE_READ_BYTES; what <= EP_MACHINE_MOVED_BYTES; what++)
		if (!reader->is_read[what] && !reader->why_not[what][0])
			snprintf(reader->why_not[what], sizeof(reader->why_not[what]),
				"the kernel offers no counters of this machine's memory controllers that evprof knows");
}

/* Adds the increase of the file's value. Returns false if the increase is not known: the file cannot be read, or the
 * value may have wrapped more than once, or it fell and the file has no range. */
static bool read_on(struct ep_machine_file *file, uint64_t now_ns)
{
	uint64_t now;
	double gap_s = (double)(now_ns - file->read_ns) / 1e9;

	if (!read_number(file->path, &now))
		return false;
	if (file->read_ns && file->range && gap_s * MOST_UJ_PER_S > (double)file->range)
		return false;
	if (now < file->last && !file->range)
		return false;
	file->sum += now - file->last + (now < file->last ? file->range : 0);
	file->last = now;
	file->read_ns = now_ns;
	return true;
}

void ep_machine_files_read(
	struct ep_machine_reader *reader, uint64_t now_ns, struct ep_machine_times *times)
{
	for (uint32_t i = 0; i < reader->n_files; i++) {
		struct ep_machine_file *file = &reader->files[i];

		if (read_on(file, now_ns))
			ep_machine_times_add(times, file->what, file->sum);
		else
			reader->is_read[file->what] = false;
	}
}
