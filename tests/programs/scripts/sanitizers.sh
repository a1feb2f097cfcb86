#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Programs with a sanitizer's runtime, as a library (GCC) and linked in (both), with threads.
cat >work.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void *work(void *unused)
{
	volatile double sum = 0;
	char *bytes = malloc(100);

	for (long i = 0; i < 3000000; i++)
		sum += i * 0.5;
	bytes[5] = 1;
	free(bytes);
	return unused;
}

int main(void)
{
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 3;
}
END
for compiler in gcc clang; do
	for sanitizer in address thread undefined leak; do
		$compiler -g -O1 -fsanitize=$sanitizer work.c -o work -pthread || exit 1
		setarch -R ./work
		echo "$compiler $sanitizer: $?"
	done
done
for runtime in address:libasan thread:libtsan undefined:libubsan; do
	gcc -g -O1 -fsanitize=${runtime%:*} -static-${runtime#*:} work.c -o work -pthread || exit 1
	setarch -R ./work
	echo "gcc ${runtime%:*}, linked in: $?"
done
rm work work.c
exit 3
