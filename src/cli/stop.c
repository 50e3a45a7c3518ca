/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/stop.h"

#include <signal.h>
#include <stddef.h>
#include <stdlib.h>

static volatile sig_atomic_t asked;

static void on_signal(int sig)
{
	if (asked) {
		signal(sig, SIG_DFL);
		raise(sig);
	}
	asked = sig;
}

void stop_install(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		struct sigaction old, sa = { .sa_handler = on_signal };

		sigemptyset(&sa.sa_mask);
		/* What the caller ignores (nohup) stays ignored. */
		if (!sigaction(signals[i], NULL, &old) && old.sa_handler == SIG_IGN)
			continue;
		sigaction(signals[i], &sa, NULL);
	}
	/* beyond `ulimit -f` a write fails with its errno, which the journal tells in words */
	signal(SIGXFSZ, SIG_IGN);
}

bool stop_requested(void)
{
	return asked;
}

int stop_signal(void)
{
	return asked;
}

void stop_exit(int code)
{
	if (asked) {
		signal(asked, SIG_DFL);
		raise(asked);
	}
	exit(code);
}
