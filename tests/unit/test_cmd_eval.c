// SPDX-License-Identifier: BSD-3-Clause
/* evreport eval from end to end: containers in, text out. */
#include <locale.h>

#include "common/containers/names.h"
#include "reporter/command/cmd_eval.h"
#include "tests/unit/command.h"

static const char perf_json[] =
	"[ { \"MetricName\": \"IPC\", \"MetricExpr\": \"ins / cyc\", },\n"
	"  { \"MetricName\": \"escaped\", \"MetricExpr\": \"cpu@x\\\\,cmask\\\\=1@ * #SMT_on\" },\n"
	"  { \"MetricName\": \"nested\", \"MetricExpr\": \"IPC * 2\", \"Unit\": \"\" },\n"
	"  { \"MetricName\": \"wrong\", \"MetricExpr\": \"ins ins\" },\n"
	"  { \"EventName\": \"no metric\" },\n"
	"  { \"MetricName\": \"zero\", \"MetricExpr\": \"ins / (cyc - cyc)\" },\n"
	"  { \"MetricName\": \"gone\", \"MetricExpr\": \"1 if gone2 else 2\" },\n"
	"  { \"MetricName\": \"ring\", \"MetricExpr\": \"ring + 1\" },\n"
	"  { \"MetricName\": \"per\", \"MetricExpr\": \"box?@c@ % source_count(ins)\" },\n"
	"  { \"MetricName\": \"mine\", \"MetricExpr\": "
	"\"strcmp_cpuid_str(GenuineIntel\\\\-6\\\\-55)\" },\n"
	"]\n";
static const char values[] = "ins\t30\t4\ncyc\t20\ncpu@x,cmask=1@\t7\n#smt_on\t1\ngone2\t-\n?\t3\n"
			     "box3@c@\t7\ncpuid\tGenuineIntel-6-55\n";

TEST(perf_json_strict)
{
	write_file("m.json", perf_json);
	write_file("v.tsv", values);
	RUN(ep_cmd_eval, "--metrics", "m.json", "--values", "v.tsv");
	CHECK_INT(status, 0);
	CHECK_STR(out, "IPC\t1.5\tok\n"
		       "escaped\t7\tok\n"
		       "nested\t3\tok\n"
		       "wrong\t-\tsyntax\n"
		       "zero\t-\tdiv0\n"
		       "gone\t-\tmissing:gone2\n"
		       "ring\t-\tcycle:ring\n"
		       "per\t3\tok\n"
		       "mine\t1\tok\n");
	CHECK_STR(err, "");
}

/* JSON spells control characters; a terminal shall not obey those of a metric, or of an event. */
TEST(names_and_units_steer_no_terminal)
{
	write_file("esc.json",
		"[ { \"MetricName\": \"a\\u001b[31m\", \"MetricExpr\": \"x\", \"ScaleUnit\": "
		"\"1\\u009bhour\" },\n"
		"  { \"MetricName\": \"b\", \"MetricExpr\": \"y\" } ]");
	write_file("esc.tsv", "x\t2\ny\x1b[31m\t3\n");
	RUN(ep_cmd_eval, "--metrics", "esc.json", "--values", "esc.tsv", "--format", "csv");
	CHECK_INT(status, 0);
	CHECK(strstr(out, "a?[31m,"));
	CHECK(!strchr(out, '\x1b') && !strstr(out, "\xc2\x9b"));
	CHECK(!strchr(err, '\x1b'));
}

TEST(perf_json_as_perf_sees_it)
{
	write_file("m.json", perf_json);
	write_file("v.tsv", values);
	RUN(ep_cmd_eval, "--metrics", "m.json", "--values", "v.tsv", "--perf-semantics");
	CHECK_INT(status, 0);
	CHECK(strstr(out, "IPC\t1.5\tok\n"));
	CHECK(strstr(out, "wrong\tabort\tsyntax\n"));
	CHECK(strstr(out, "zero\tnan\tnan\n"));
	CHECK(strstr(out, "gone\t1\tok\n"));
	CHECK(strstr(out, "ring\tabort\tabort\n"));
}

TEST(perfmon_json_with_aliases)
{
	write_file("p.json",
		"{ \"Header\": {}, \"Metrics\": [ { \"MetricName\": \"m\", \"Level\": 1, "
		"\"Events\": [ { \"Name\": \"UOPS.ANY\", \"Alias\": \"a\" }, "
		"{ \"Name\": \"CYC:u\", \"Alias\": \"b\" } ], "
		"\"Constants\": [ { \"Name\": \"4\", \"Alias\": \"w\" } ], "
		"\"Formula\": \"100 * ( a / ( w * b ) ) if a > = b && 1 else 0\" } ] }");
	write_file("v.tsv", "UOPS.ANY\t40\nCYC:u\t20\n");
	RUN(ep_cmd_eval, "--metrics", "p.json", "--values", "v.tsv");
	CHECK_INT(status, 0);
	CHECK_STR(out, "m\t50\tok\n");
}

TEST(likwid_group)
{
	write_file("g.txt", "SHORT Some group\n\nEVENTSET\nFIXC0 INSTR_RETIRED_ANY\n"
			    "PMC0:THRESHOLD=0x1 L1D_MISS\nPMC1 NOTHING\n\nMETRICS\n"
			    "Miss rate [percent] PMC0/FIXC0*1.0E+02\n"
			    "Volume 1.0E-03*PMC0*64.0\nLost PMC1/FIXC0\n\nLONG\ntext / here\n");
	write_file("v.tsv", "INSTR_RETIRED_ANY\t200\nL1D_MISS\t10\n");
	RUN(ep_cmd_eval, "--metrics", "g.txt", "--values", "v.tsv");
	CHECK_INT(status, 0);
	CHECK_STR(out, "Miss rate\t5\tok\nVolume\t0.64\tok\nLost\t-\tmissing:NOTHING\n");
}

TEST(parameters_and_folders)
{
	write_file("f.formula", "evprof-formula 1\n[parameter W]\nvalue = 4\n[metric m]\n"
				"expr = x / W\n[metric n]\nexpr = x * V\n");
	write_file("v.tsv", "name\tvalue\nx\t8\n");
	RUN(ep_cmd_eval, "--metrics", "f.formula", "--values", "v.tsv", "--param", "W=2", "--param",
		"V=3");
	CHECK_INT(status, 0);
	CHECK_STR(out, "m\t4\tok\nn\t24\tok\n");
}

TEST(tree_with_error_bars_and_marks)
{
	write_file("t.formula",
		"evprof-formula 1\n[model]\nname = t\ntitle = T\n"
		"[metric Lost]\nexpr = l / c\nlevel = 1\nbase = c\nkind = share\n"
		"[metric Deep]\nexpr = d / c\nlevel = 2\nparent = Lost\nkind = share\n"
		"[metric Also]\nexpr = a / c\nlevel = 1\nbase = c\nkind = share\n"
		"[metric Work]\nexpr = w / c\nlevel = 1\nbase = c\nkind = share\nrole = useful\n"
		"[check Sum]\nexpr = Lost + Also + Work\nequals = 1\ncause = lost slices\n");
	write_file("v.tsv", "c\t100\nl\t30\t1\t5\t0.5\nd\t130\na\t10\t1\t1\nw\t60\n");
	CHECK(setlocale(LC_CTYPE, "C.UTF-8"));
	{
		RUN(ep_cmd_eval, "--metrics", "t.formula", "--values", "v.tsv", "--format", "tree");
		CHECK_INT(status, 0);
		CHECK_STR(out, "T\n"
			       "> Lost                                    30.0 % ±10.0 of c, "
			       "measured 50 % of the "
			       "time\n"
			       ">   Deep                                 130.0 %  [above 100 %: "
			       "not a valid "
			       "share]\n"
			       "  Also                                    10.0 % ±2.0 of c\n"
			       "  Work                                    60.0 % of c\n");
	}
	setlocale(LC_CTYPE, "C");
	{
		RUN(ep_cmd_eval, "--metrics", "t.formula", "--values", "v.tsv", "--format", "tree");
		CHECK_INT(status, 0);
		CHECK(strstr(out, "  Also                                    10.0 % +-2.0 of c\n"));
	}
	write_file("v.tsv", "c\t100\nl\t30\t1\t12\nd\t1\na\t12\nw\t60\n");
	{
		RUN(ep_cmd_eval, "--metrics", "t.formula", "--values", "v.tsv", "--format", "tree");
		CHECK_INT(status, 0);
		CHECK(!strstr(out, "> Lost")); /* 30 ± 24 overlaps 12 */
	}
	write_file("v.tsv", "c\t100\nl\t70\t1\t1\nd\t1\na\t12\nw\t60\n");
	{
		RUN(ep_cmd_eval, "--metrics", "t.formula", "--values", "v.tsv", "--format", "tree");
		CHECK_INT(status, 0);
		CHECK(strstr(out,
			"! Sum does not hold: 1.42 = 1 expected; probable cause: lost slices\n"));
	}
}

TEST(csv_and_json_have_the_same_values)
{
	write_file("m.json", perf_json);
	write_file("v.tsv", values);
	{
		RUN(ep_cmd_eval, "--metrics", "m.json", "--values", "v.tsv", "--format", "csv");
		CHECK_INT(status, 0);
		CHECK(strstr(out, ",IPC,1.5,0,1,ok,,,\n"));
		CHECK(strstr(out, ",zero,,,,div0,,,\n"));
	}
	{
		RUN(ep_cmd_eval, "--metrics", "m.json", "--values", "v.tsv", "--format", "json");
		CHECK_INT(status, 0);
		CHECK(strstr(out, "\"value\":1.5"));
		CHECK(strstr(out, "\"status\":\"div0\""));
	}
}

TEST(a_shipped_model_takes_given_intermediate_values)
{
	char root[4096];

	snprintf(root, sizeof(root), "%s/formulas", getenv("EVPROF_SOURCE_ROOT"));
	setenv("EVPROF_FORMULAS", root, 1);
	write_file("v.tsv", "TOT_CYC\t50\nTOT_INS\t100\nTLB_DM\t2\n");
	RUN(ep_cmd_eval, "--model", "lcpi", "--cpu", "ranger", "--values", "v.tsv");
	CHECK_INT(status, 0);
	CHECK(strstr(out, "overall\t0.5\tok\n"));
	CHECK(strstr(out, "data_TLB\t1\tok\n"));
	CHECK(strstr(out, "branches\t-\tmissing:BR_INS\n"));
}

TEST(what_cannot_be_used_is_said)
{
	write_file("bad.json", "[ { \"MetricName\": \"x\",\n  ] }");
	write_file("v.tsv", "x\t1\n");
	write_file("w.tsv", "x\tone\n");
	{
		RUN(ep_cmd_eval, "--metrics", "bad.json", "--values", "v.tsv");
		CHECK_INT(status, 1);
		CHECK(strstr(err, "bad.json:2:"));
	}
	{
		RUN(ep_cmd_eval, "--metrics", "m.json", "--values", "w.tsv");
		CHECK_INT(status, 1);
		CHECK_STR(err, "evreport eval: w.tsv:1: expected a number or '-', found 'one'\n");
	}
	{
		RUN(ep_cmd_eval, "--model", "topdown", "--cpu", "z80", "--values", "v.tsv");
		CHECK_INT(status, 1);
		CHECK(strstr(err, "no model 'topdown' for z80; --cpu can be:"));
	}
	{
		RUN(ep_cmd_eval, "--values", "v.tsv");
		CHECK_INT(status, 2);
	}
}
