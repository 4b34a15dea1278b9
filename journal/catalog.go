package journal

import (
	"context"
	"iter"
	"time"
)

// Catalog is implemented by a [Store] that can list its streams. The stores of this
// project do. It is not part of Store, since actors do not need it.
type Catalog interface {
	// Streams yields the streams whose name begins with the prefix and comes after a
	// name, in the order of the bytes of their names. An empty prefix and an empty
	// name select all. A stream is listed if it has events, or has seen a fence above
	// 0. The list is read in pages: a stream that is made meanwhile may be missed. The
	// cost grows with the number of events, which are counted.
	Streams(ctx context.Context, prefix, after string) iter.Seq2[StreamInfo, error]
}

// StreamInfo says how one stream stood at the moment at which it was listed.
type StreamInfo struct {
	Name     string
	Version  uint64    // The version that the next write must expect.
	Events   uint64    // How many are stored. In a sound store, Events and Trimmed are the version.
	Trimmed  uint64    // How many were removed on purpose, from the first one on, by Erase or Trim.
	Fence    uint64    // The highest that the stream has seen.
	Snapshot uint64    // The version of the snapshot, or 0 if there is none.
	First    Position  // Of the first event, or 0 if there is none.
	Last     Position  // Of the last event, or 0 if there is none.
	Changed  time.Time // When the last event was written, or the zero time if there is none.
}
