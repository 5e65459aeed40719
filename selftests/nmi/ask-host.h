/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VMTEST_ASK_HOST_H
#define VMTEST_ASK_HOST_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The virtio port that harness/serve-guest listens at. */
static inline int open_host_port(void)
{
	DIR *dir = opendir("/sys/class/virtio-ports");
	char path[300], name[64];
	struct dirent *d;
	int fd = -1, tries;
	FILE *f;

	while (dir && fd < 0 && (d = readdir(dir))) {
		snprintf(path, sizeof(path), "/sys/class/virtio-ports/%s/name", d->d_name);
		f = fopen(path, "re");
		if (!f)
			continue;
		if (fgets(name, sizeof(name), f) && !strcmp(name, "vmtest.host\n")) {
			snprintf(path, sizeof(path), "/dev/%s", d->d_name);
			/* One process may have it open: wait for the other. */
			for (tries = 0; fd < 0 && tries < 1000; tries++) {
				fd = open(path, O_RDWR | O_CLOEXEC);
				if (fd < 0 && errno != EBUSY)
					break;
				if (fd < 0)
					usleep(10000);
			}
		}
		fclose(f);
	}
	if (dir)
		closedir(dir);
	return fd;
}

/**
 * ask_host - let the host do something, and wait until it is done
 * @request: see harness/serve-guest
 * @times: how often
 *
 * Return: 0, or -1 when the host did not answer "ok" to each.
 */
static inline int ask_host(const char *request, int times)
{
	int fd = open_host_port(), ret = 0;
	char answer[64];
	ssize_t n;

	if (fd < 0)
		return -1;
	for (; times > 0 && !ret; times--) {
		if (dprintf(fd, "%s\n", request) < 0)
			ret = -1;
		n = read(fd, answer, sizeof(answer));
		if (n < 3 || strncmp(answer, "ok\n", 3))
			ret = -1;
	}
	close(fd);
	return ret;
}

#endif
