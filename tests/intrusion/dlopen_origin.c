/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dlopen() searches the RUNPATH of its caller. If a preloaded dlopen() called libc's, libc would take the preloaded
 * library for the caller, and not find the program's libraries. The program's RUNPATH is $ORIGIN/plugins, and the
 * library there opens another library of the same folder.
 */
#include "probe.h"

#include <dlfcn.h>

static void *in_thread(void *unused)
{
	void *plugin = dlopen("libprobe_plugin_a.so", RTLD_NOW);

	EXPECT_MSG(plugin != NULL, "in a thread: %s", dlerror());
	if (plugin)
		EXPECT_INT(dlclose(plugin), 0);
	return NULL;
}

static void use(const char *how, void *plugin)
{
	int (*call)(void) = plugin ? dlsym(plugin, "plugin_open_other") : NULL;

	EXPECT_MSG(call != NULL, "%s: %s", how, dlerror());
	if (call)
		printf("%s: %d\n", how, call());
	if (plugin)
		EXPECT_INT(dlclose(plugin), 0);
}

int main(void)
{
	pthread_t thread;

	burn_ms(5);
	for (int i = 0; i < 10; i++) {
		use("dlopen", dlopen("libprobe_plugin_a.so", RTLD_NOW | RTLD_LOCAL));
		use("dlmopen", dlmopen(LM_ID_BASE, "libprobe_plugin_a.so", RTLD_LAZY));
		pthread_create(&thread, NULL, in_thread, NULL);
		pthread_join(thread, NULL);
	}
	EXPECT(dlopen("libprobe_no_such_thing.so", RTLD_NOW) == NULL);
	printf("%s\n", dlerror());
	EXPECT(dlerror() == NULL);
	EXPECT(dlsym(RTLD_DEFAULT, "no_such_symbol") == NULL);
	EXPECT(strstr(dlerror(), "no_such_symbol") != NULL);
	return probe_end();
}
