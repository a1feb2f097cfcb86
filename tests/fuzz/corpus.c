// SPDX-License-Identifier: BSD-3-Clause
/* corpus FOLDER: each kept input once through a fuzz target, without libFuzzer. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "common/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int argc, char **argv)
{
	DIR *folder = argc > 1 ? opendir(argv[1]) : NULL;
	struct dirent *entry;
	int n_tried = 0;

	while (folder && (entry = readdir(folder))) {
		EP_AUTOFREE char *data = NULL;
		char path[4096];
		size_t size;

		snprintf(path, sizeof(path), "%s/%s", argv[1], entry->d_name);
		if (entry->d_name[0] == '.' || ep_file_read(path, &data, &size, NULL))
			continue;
		LLVMFuzzerTestOneInput((const uint8_t *)data, size);
		n_tried++;
	}
	printf("1..1\n%sok 1 - %d inputs\n", n_tried ? "" : "not ", n_tried);
	return !n_tried;
}
