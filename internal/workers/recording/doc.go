// Package recording keeps the last events of workers, and tells of them:
//
//	var log recording.Log // One of each worker.
//	r, err := recording.New(0)
//	r.Attach(&log, false)
//	log.Write(recording.Entry{At: now, Kind: recording.Run})
//	events := r.Snapshot(logs, isCurrent).Events
//
// It knows nothing of workers, and asks for no time.
package recording
