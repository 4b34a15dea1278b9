package sched

// StatsOf and RecordingOf return what users get of what the workers say.
var (
	StatsOf     = statsOf
	RecordingOf = recordingOf
)
