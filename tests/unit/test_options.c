// SPDX-License-Identifier: BSD-3-Clause
/* Tables of options: every kind of value, what is refused and what is said then. */
#include "common/options.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "test.h"

struct values {
	bool flag;
	const char *text;
	uint32_t count;
	double number;
	char taken[64]; /* values that take_list got, with blanks between */
};

static int take_list(void *into, const char *value)
{
	struct values *v = into;

	if (!strcmp(value, "bad"))
		return -EINVAL;
	snprintf(v->taken + strlen(v->taken), sizeof(v->taken) - strlen(v->taken), " %s", value);
	return 0;
}

static void print_more(FILE *out)
{
	fputs("more\n", out);
}

/* The output of the last command line, on standard output or standard error. */
static char printed[2048];

static int redirect(int fd)
{
	FILE *kept = tmpfile();
	int saved = dup(fd);

	fflush(NULL);
	dup2(fileno(kept), fd);
	fclose(kept);
	return saved;
}

static void restore(int fd, int saved)
{
	ssize_t n;

	fflush(NULL);
	lseek(fd, 0, SEEK_SET);
	n = read(fd, printed, sizeof(printed) - 1);
	printed[n > 0 ? n : 0] = '\0';
	dup2(saved, fd);
	close(saved);
}

/* Reads the words behind "x"; output is what it prints to, and must have printed to. */
static int read_words(struct values *v, const char *words, int output, int *out_n_left)
{
	const struct ep_option rows[] = {
		{ "flag", 'f', .flag = &v->flag },
		{ "text", .text = &v->text },
		{ "count", 'c', .count = &v->count, .least = 2, .most = UINT32_MAX,
			.expected = "2 or more" },
		{ "number", .number = &v->number, .least = -1, .most = INFINITY,
			.expected = "-1 or more" },
		{ "list", 'l', .take = take_list, .into = v, .expected = "anything else" },
		{ NULL },
	};
	const struct ep_options options = {
		.command = "prog cmd", .usage = "usage: x\n", .print_more = print_more, .rows = rows
	};
	char line[256], *argv[16] = { (char *)"x" }, *save = NULL;
	int argc = 1, saved, status;

	snprintf(line, sizeof(line), "%s", words);
	for (char *word = strtok_r(line, " ", &save); word; word = strtok_r(NULL, " ", &save))
		argv[argc++] = strcmp(word, "''") ? word : (char *)"";
	saved = redirect(output);
	status = ep_options_read(&options, argc, argv);
	restore(output, saved);
	CHECK_STR(argv[0], "x");
	*out_n_left = argc - optind;
	return status;
}

TEST(kinds)
{
	struct values v = { .count = 7, .number = 7 };
	int n_left;

	CHECK_INT(read_words(&v, "one --text=a -fc 12 two --number -0.5 -l p --list q -- -f", 1,
			  &n_left),
		EP_OPTIONS_READ);
	CHECK_INT(n_left, 3);
	CHECK(v.flag);
	CHECK(v.count == 12 && v.number == -0.5);
	CHECK_STR(v.taken, " p q");
	CHECK_STR(printed, "");
	/* text leads into read_words' line: only that it was set can be seen here */
	CHECK(v.text != NULL);
}

TEST(nothing_given_leaves_all)
{
	struct values v = { .count = 7, .number = 7 };
	int n_left;

	CHECK_INT(read_words(&v, "", 1, &n_left), EP_OPTIONS_READ);
	CHECK_INT(n_left, 0);
	CHECK(!v.flag && !v.text && v.count == 7 && v.number == 7);
}

TEST(refused)
{
	static const struct {
		const char *words, *said; /* in front of the usage */
	} cases[] = {
		{ "--count 1", "prog cmd: --count 1: expected 2 or more\n" },
		{ "-c 1", "prog cmd: --count 1: expected 2 or more\n" },
		{ "--count 4294967296", "prog cmd: --count 4294967296: expected 2 or more\n" },
		{ "--count 99999999999999999999",
			"prog cmd: --count 99999999999999999999: expected 2 or more\n" },
		{ "--count -3", "prog cmd: --count -3: expected 2 or more\n" },
		{ "--count +3", "prog cmd: --count +3: expected 2 or more\n" },
		{ "--count 3x", "prog cmd: --count 3x: expected 2 or more\n" },
		{ "--count ''", "prog cmd: --count : expected 2 or more\n" },
		{ "--number -2", "prog cmd: --number -2: expected -1 or more\n" },
		{ "--number nan", "prog cmd: --number nan: expected -1 or more\n" },
		{ "--number 1s", "prog cmd: --number 1s: expected -1 or more\n" },
		{ "--number ''", "prog cmd: --number : expected -1 or more\n" },
		{ "--list bad", "prog cmd: --list bad: expected anything else\n" },
		{ "--nosuch", "prog cmd: unrecognized option '--nosuch'\n" },
		{ "-z", "prog cmd: invalid option -- 'z'\n" },
		{ "--text", "prog cmd: option '--text' requires an argument\n" },
		{ "--flag=1", "prog cmd: option '--flag' doesn't allow an argument\n" },
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(cases); i++) {
		struct values v = { .count = 7, .number = 7 };
		char expected[256];
		int n_left;

		snprintf(expected, sizeof(expected), "%susage: x\nmore\n", cases[i].said);
		CHECK_INT(read_words(&v, cases[i].words, 2, &n_left), 2);
		CHECK_STR(printed, expected);
		CHECK(v.count == 7 && v.number == 7);
	}
}

TEST(help)
{
	static const char *const lines[] = { "--help", "-h", "-f --help --nosuch" };

	for (size_t i = 0; i < EP_ARRAY_SIZE(lines); i++) {
		struct values v = { 0 };
		int n_left;

		CHECK_INT(read_words(&v, lines[i], 1, &n_left), 0);
		CHECK_STR(printed, "usage: x\nmore\n");
	}
}

/* A cluster of letters that ends in trouble leaves getopt in its middle. */
TEST(reads_again_after_trouble)
{
	struct values v = { 0 };
	int n_left;

	CHECK_INT(read_words(&v, "-zf", 2, &n_left), 2);
	CHECK(!v.flag);
	CHECK_INT(read_words(&v, "-c 3", 1, &n_left), EP_OPTIONS_READ);
	CHECK(!v.flag);
	CHECK_INT(v.count, 3);
}

TEST(refusals)
{
	struct ep_options options = { .command = "prog cmd", .usage = "usage: x\n" };
	int saved = redirect(2), status = ep_options_refuse(&options, NULL);

	restore(2, saved);
	CHECK_INT(status, 2);
	CHECK_STR(printed, "usage: x\n");
	options.hint = "look there\n";
	saved = redirect(2);
	status = ep_options_refuse(&options, "one too many");
	restore(2, saved);
	CHECK_INT(status, 2);
	CHECK_STR(printed, "prog cmd: one too many\nlook there\n");
}

/* One of several processes prints what a line gives rise to. */
TEST(others_are_quiet)
{
	char *argv[][3] = { { "prog", "--help" }, { "prog", "--nosuch" }, { "prog", "-c" },
		{ "prog", "-cx" } };
	uint32_t count = 0;
	const struct ep_option rows[] = {
		{ "count", 'c', .count = &count, .most = 9, .expected = "a number" }, { NULL }
	};
	const struct ep_options options = {
		.command = "prog", .usage = "usage: x\n", .rows = rows, .is_quiet = true
	};

	for (size_t i = 0; i < EP_ARRAY_SIZE(argv); i++) {
		int fd = i ? 2 : 1, saved = redirect(fd),
		    status = ep_options_read(&options, 2, argv[i]);

		restore(fd, saved);
		CHECK_INT(status, i ? 2 : 0);
		CHECK_STR(printed, "");
	}
	CHECK_INT(ep_options_refuse(&options, "which files?"), 2);
}

static int read_even(void *into, const char *value, struct ep_error *err)
{
	if (atoi(value) % 2)
		return ep_fail(err, -EINVAL, "%s is odd: take an even number", value);
	*(int *)into = atoi(value);
	return 0;
}

/* Options of a command that starts a program: read_words' rows cannot have these. */
static int read_of_program(char **argv, int argc, int *even, bool *saves, const char **file)
{
	bool ignored;
	const struct ep_option rows[] = {
		{ "even", 'e', .read = read_even, .into = even },
		{ "odd", .flag = &ignored, .read = read_even, .into = even },
		{ "save", .flag = saves, .text = file },
		{ NULL },
	};
	const struct ep_options options = { .command = "prog run",
		.usage = "usage: x\n",
		.rows = rows,
		.runs_program = true,
		.refused = 125 };
	int saved = redirect(2), status = ep_options_read(&options, argc, argv);

	restore(2, saved);
	return status;
}

TEST(options_behind_a_program_are_its_own)
{
	char *argv[] = { (char *)"run", (char *)"-e", (char *)"4", (char *)"--save=f", (char *)"ls",
		(char *)"-e", (char *)"6", NULL };
	const char *file = NULL;
	bool saves = false;
	int even = 0;

	CHECK_INT(read_of_program(argv, 7, &even, &saves, &file), EP_OPTIONS_READ);
	CHECK_INT(optind, 4);
	CHECK_INT(even, 4);
	CHECK(saves);
	CHECK_STR(file, "f");
}

TEST(a_value_may_be_left_out)
{
	char *argv[] = { (char *)"run", (char *)"--save", (char *)"ls", NULL };
	const char *file = "before";
	bool saves = false;
	int even = 0;

	CHECK_INT(read_of_program(argv, 3, &even, &saves, &file), EP_OPTIONS_READ);
	CHECK_INT(optind, 2);
	CHECK(saves && !file);
}

TEST(a_reader_says_why_it_refuses)
{
	char *odd[] = { (char *)"run", (char *)"-e", (char *)"3", NULL };
	char *alone[] = { (char *)"run", (char *)"--odd", NULL };
	const char *file = NULL;
	bool saves = false;
	int even = 0;

	CHECK_INT(read_of_program(odd, 3, &even, &saves, &file), 125);
	CHECK_STR(printed, "prog run: 3 is odd: take an even number\n");
	CHECK_INT(read_of_program(alone, 2, &even, &saves, &file), 125);
	CHECK_STR(printed, "prog run: 1 is odd: take an even number\n");
	CHECK_INT(even, 0);
}
