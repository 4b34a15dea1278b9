// Package jobstate has the life of a job in one atomic word:
//
//	var w jobstate.Word
//	w.Init(settings.Normal)
//	if w.TransitionToRunning(now) {
//		...
//		w.TransitionToEnded(jobstate.Completed, 0)
//	}
//
// It knows nothing of jobs, fibers and workers.
package jobstate
