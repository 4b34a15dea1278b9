// Package journals reads, checks, exports and restores the journals of stores: what the
// command troupe journal does. It knows events by their encodings alone, not by their Go
// types.
package journals
