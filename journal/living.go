package journal

import (
	"cmp"
	"slices"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// Living says how an event-sourced actor of this process stands.
type Living struct {
	System   *actor.System
	PID      actor.PID
	Stream   string
	Version  uint64        // How many events the stream has, as the actor knows.
	Snapshot uint64        // The version of the last snapshot that it has restored or begun to store.
	Replayed uint64        // How many events were applied when it began.
	Recovery time.Duration // How long that took, with the snapshot.
}

// living is an incarnation that has recovered and has not ended.
type living struct {
	Living
	version, snapshot atomic.Uint64 // Written by the actor, read by all.
}

func (l *living) show() Living {
	s := l.Living
	s.Version, s.Snapshot = l.version.Load(), l.snapshot.Load()
	return s
}

// Actors returns the event-sourced actors of this Journal in this process, sorted by their
// streams. It costs as much as there are.
func (j *Journal) Actors() []Living {
	j.mu.Lock()
	list := make([]Living, 0, len(j.living))
	for _, l := range j.living {
		list = append(list, l.show())
	}
	j.mu.Unlock()
	slices.SortFunc(list, func(a, b Living) int { return cmp.Compare(a.Stream, b.Stream) })
	return list
}

// key names a living actor: each system has PIDs of its own.
type key struct {
	sys *actor.System
	pid actor.PID
}

// Actor returns how the actor of a system with the PID stands, if it is one of this Journal.
func (j *Journal) Actor(sys *actor.System, pid actor.PID) (Living, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	l, ok := j.living[key{sys, pid}]
	if !ok {
		return Living{}, false
	}
	return l.show(), true
}

// who returns the living actor of a stream.
func (j *Journal) who(stream string) (actor.PID, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for k, l := range j.living {
		if l.Stream == stream {
			return k.pid, true
		}
	}
	return actor.PID{}, false
}

func (j *Journal) begins(l *living) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.living == nil {
		j.living = map[key]*living{}
	}
	j.living[key{l.System, l.PID}] = l
	j.stats.RecoveryTimes.addTime(l.Recovery)
	j.stats.Replayed.add(l.Replayed)
}

func (j *Journal) ends(l *living) {
	j.mu.Lock()
	defer j.mu.Unlock()
	k := key{l.System, l.PID}
	if j.living[k] == l { // Not the next incarnation's.
		delete(j.living, k)
	}
}
