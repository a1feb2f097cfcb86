/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The unit tests' few macros. TEST(name) { ... } registers itself; CHECK... count failures and go
 * on; the program prints TAP. One translation unit per test program.
 */
#ifndef EVPROF_TESTS_UNIT_TEST_H
#define EVPROF_TESTS_UNIT_TEST_H

#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct test_case {
	const char *name;
	void (*run)(void);
	struct test_case *next;
};

static struct test_case *test_first, **test_last = &test_first;
static int test_n_failures;
static const char *test_skipped;

#define TEST(ident)                                                                                \
	static void test_##ident(void);                                                            \
	__attribute__((constructor)) static void test_register_##ident(void)                       \
	{                                                                                          \
		static struct test_case test_case_##ident = { #ident, test_##ident, NULL };        \
		*test_last = &test_case_##ident;                                                   \
		test_last = &test_case_##ident.next;                                               \
	}                                                                                          \
	static void test_##ident(void)

#define CHECK_MSG(condition, ...)                                                                  \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			test_n_failures++;                                                         \
			printf("# %s:%d: ", __FILE__, __LINE__);                                   \
			printf(__VA_ARGS__);                                                       \
			printf("\n");                                                              \
		}                                                                                  \
	} while (0)

/* Ends the test: it needs what is not on this machine, or not permitted to this user. */
#define SKIP(reason)                                                                               \
	do {                                                                                       \
		test_skipped = (reason);                                                           \
		return;                                                                            \
	} while (0)

#define CHECK(condition) CHECK_MSG(condition, "not true: %s", #condition)
#define CHECK_INT(actual, expected)                                                                \
	do {                                                                                       \
		long long test_a = (long long)(actual), test_e = (long long)(expected);            \
		CHECK_MSG(test_a == test_e, "%s is %lld, expected %lld", #actual, test_a, test_e); \
	} while (0)
#define CHECK_STR(actual, expected)                                                                \
	do {                                                                                       \
		const char *test_a = (actual), *test_e = (expected);                               \
		CHECK_MSG(test_a && !strcmp(test_a, test_e), "%s is \"%s\", expected \"%s\"",      \
			#actual, test_a ? test_a : "(null)", test_e);                              \
	} while (0)
/* |actual - expected| <= relative * |expected|, or both below absolute 1e-300. */
#define CHECK_CLOSE(actual, expected, relative)                                                    \
	do {                                                                                       \
		double test_a = (actual), test_e = (expected);                                     \
		CHECK_MSG(fabs(test_a - test_e) <= (relative)*fabs(test_e) + 1e-300,               \
			"%s is %.17g, expected %.17g", #actual, test_a, test_e);                   \
	} while (0)

/* nohup and some CI runners start programs with signals ignored or blocked. */
static void reset_signals(void)
{
	sigset_t none;

	for (int sig = 1; sig < 32; sig++)
		if (sig != SIGKILL && sig != SIGSTOP)
			signal(sig, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

int main(void)
{
	int n_tests = 0, n_failed = 0;

	reset_signals();
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (struct test_case *t = test_first; t; t = t->next) {
		test_n_failures = 0;
		test_skipped = NULL;
		t->run();
		n_tests++;
		n_failed += test_n_failures > 0;
		printf("%sok %d - %s%s%s\n", test_n_failures ? "not " : "", n_tests, t->name,
			test_skipped ? " # SKIP " : "", test_skipped ? test_skipped : "");
	}
	printf("1..%d\n", n_tests);
	return n_failed > 0;
}

#endif
