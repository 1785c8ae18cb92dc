#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "provider.h"

/* Whether a session wants both marks. */
int sys_trace_benches_enabled(void)
{
	return lttng_ust_tracepoint_enabled(sys_trace_benches, start) &&
	       lttng_ust_tracepoint_enabled(sys_trace_benches, stop);
}

/* One start and one stop. */
void sys_trace_benches_pair(uint64_t span, uint64_t model)
{
	lttng_ust_tracepoint(sys_trace_benches, start, span, model);
	lttng_ust_tracepoint(sys_trace_benches, stop, span, model);
}
