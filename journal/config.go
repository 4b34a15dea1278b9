package journal

import (
	"errors"
	"fmt"

	"github.com/troupe-go/troupe/actor"
)

func (cfg *Config[M, E]) check() error {
	switch {
	case cfg.Journal == nil || cfg.Journal.store == nil:
		return errors.New("journal: Config.Journal is nil; it comes from journal.New with a store")
	case cfg.Events == nil:
		return errors.New("journal: Config.Events is nil; it comes from journal.Events")
	case cfg.New == nil:
		return errors.New("journal: Config.New is nil")
	case cfg.SnapshotEvery < 0:
		return fmt.Errorf("journal: Config.SnapshotEvery is %d; it must be 0, for the default, or more", cfg.SnapshotEvery)
	case cfg.SnapshotEvery > 0 && !cfg.Snapshots.defined():
		return errors.New("journal: Config.SnapshotEvery without Config.Snapshots; see journal.SnapshotOf")
	}
	return errors.Join(cfg.Snapshots.check(), cfg.Events.Err())
}

// checkHooks returns an error for a value with hooks that would not be called.
func checkHooks[M any](value any) error {
	hook := ""
	switch value.(type) {
	case nil:
		return errors.New("journal: Config.New has returned nil")
	case actor.Parent[M]:
		hook = "ChildExited"
	case actor.ChildStartedHandler[M]:
		hook = "ChildStarted"
	case actor.Watcher[M]:
		hook = "Down"
	case actor.Trapper[M]:
		hook = "Exited"
	case actor.GracefulStopper[M]:
		hook = "Leave"
	case actor.HealthChecker[M]:
		hook = "Health"
	case actor.Wakeful[M]:
		hook = "Woken"
	case actor.Starter[M]:
		hook = "Started with an actor.Context, in place of a journal.Context"
	case actor.Stopper[M]:
		hook = "Stopped with an actor.Context, in place of a journal.Context"
	default:
		return nil
	}
	return fmt.Errorf("journal: %T has the hook %s, which is not called for event-sourced actors; have another actor do this", value, hook)
}
