/* SPDX-License-Identifier: GPL-2.0 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM vmtest

#if !defined(_VMTEST_STORM_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _VMTEST_STORM_TRACE_H

#include <linux/tracepoint.h>

TRACE_EVENT(storm_chain,
	TP_PROTO(unsigned int n, bool nmi),
	TP_ARGS(n, nmi),
	TP_STRUCT__entry(
		__field(unsigned int, n)
		__field(unsigned int, nmi)
		__field(unsigned int, epoch)
	),
	TP_fast_assign(
		__entry->n = n;
		__entry->nmi = nmi;
		/* Here, so that a task that is preempted before its event has no old one */
		__entry->epoch = READ_ONCE(storm_epoch);
	),
	TP_printk("n=%u nmi=%u epoch=%u", __entry->n, __entry->nmi, __entry->epoch)
);

#endif /* _VMTEST_STORM_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE vmtest_storm_trace
#include <trace/define_trace.h>
