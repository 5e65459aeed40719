/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VMTEST_RUNNER_H
#define VMTEST_RUNNER_H

#include <stdio.h>

/**
 * run_plan - run every test of a plan and write the results as KTAP
 * @plan: lines "SUITE NAME SECONDS", in the order to run them
 * @out: where the KTAP stream goes
 *
 * Return: 0 when every planned test was reported, whatever its result.
 */
int run_plan(FILE *plan, FILE *out);

/**
 * open_port - open a virtio port
 * @port: its name
 * @flags: of open()
 *
 * Return: a file descriptor; without that port the guest powers off.
 */
int open_port(const char *port, int flags);

/* Write @text to the file @path, or say why not. */
void write_to(const char *path, const char *text);

/* Tests are killed for want of memory like anybody; the runner and PID 1 are not. */
#define OOM_SCORE "/proc/self/oom_score_adj"

#endif
