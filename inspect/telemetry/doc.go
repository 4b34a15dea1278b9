// Package telemetry hands the figures of an [inspect.Inspector] to monitoring
// systems: to Prometheus by [Handler] or [Collector], and to OpenTelemetry by
// [Instrument].
//
//	http.Handle("/metrics", telemetry.Handler(inspector))
//	stop, err := telemetry.Instrument(inspector, meterProvider, 0)
//
// Figures are kept by kind of actor, not by actor, so the number of time series
// follows from the program's code. Names and units follow the conventions of
// either side: what is troupe.actor.handled, a counter of {message}, in the one,
// is troupe_actor_handled_messages_total in the other.
//
// [Ask] makes a span of an ask, [AskAll], [AskQuorum] and [Gather] one of several, and
// [Serve] one of the handling of each: together a trace of all that actors do for one
// request.
//
// It is a module of its own, so that its libraries reach only programs that use it:
// go get github.com/troupe-go/troupe/inspect/telemetry.
package telemetry
