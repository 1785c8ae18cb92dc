/* A start and a stop, each with the span's id and one number, as the other contenders have them. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER sys_trace_benches

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./provider.h"

#if !defined(SYS_TRACE_BENCHES_PROVIDER_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define SYS_TRACE_BENCHES_PROVIDER_H

#include <lttng/tracepoint.h>
#include <stdint.h>

LTTNG_UST_TRACEPOINT_EVENT_CLASS(
	sys_trace_benches, mark, LTTNG_UST_TP_ARGS(uint64_t, span, uint64_t, model),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint64_t, span, span)
		lttng_ust_field_integer(uint64_t, model, model)))

LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(sys_trace_benches, mark, sys_trace_benches, start,
				    LTTNG_UST_TP_ARGS(uint64_t, span, uint64_t, model))
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(sys_trace_benches, mark, sys_trace_benches, stop,
				    LTTNG_UST_TP_ARGS(uint64_t, span, uint64_t, model))

#endif

#include <lttng/tracepoint-event.h>
