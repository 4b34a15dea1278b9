// Package jet is an engine on NATS with JetStream, embedded or external.
//
//	eng, err := jet.Open(ctx, jet.Config{})                         // embedded and alone, in ./troupe.d
//	eng, err := jet.Open(ctx, jet.Config{Servers: []string{url}})   // a NATS that runs elsewhere
//
// The embedded server opens no port while it is alone, installs no signal handler, and logs to
// Config.Log only. It syncs each write of a table or log before it acknowledges it.
//
// Each node has two connections, for urgent and for bulk frames. Tables use the urgent one,
// logs the bulk one. A table is a bucket of NATS's key-value store named troupe-NAME, and a
// log is a stream named troupe-log-NAME, so the tools of NATS can read them. They must not
// write to them.
package jet
