// SPDX-License-Identifier: GPL-2.0
/*
 * ask-host REQUEST [TIMES]: let the host do something to this guest.
 *
 * "ask-host nmi 10" gives ten NMIs to every CPU (x86_64); load vmtest_nmi.ko first,
 * which claims them.
 */
#include <stdlib.h>

#include "ask-host.h"

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "usage: %s REQUEST [TIMES]\n", argv[0]);
		return 2;
	}
	if (ask_host(argv[1], argc > 2 ? atoi(argv[2]) : 1)) {
		fprintf(stderr, "%s: the host did not do it\n", argv[1]);
		return 1;
	}
	return 0;
}
