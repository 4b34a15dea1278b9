package demo

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/cmd/troupe/internal/word"
	"github.com/troupe-go/troupe/supervise"
)

const (
	// Files that may wait for a feeder. More would leave more to do for the last one when the others are through.
	feederCapacity = 16
	// Batches that may wait for a shard. This bounds the memory between tokenizers and shards.
	shardCapacity = 64
	// Faults are injected on purpose, so no number of them in a period is a reason to give up: a supervisor that
	// restarts this often in a millisecond has nothing else to do any more.
	intensity, period = 10_000, time.Millisecond
	// The collector answers in microseconds, unless the machine is on its knees.
	sampleTime = 100 * time.Millisecond

	// An interrupted run ends within a second: files have finishTime to be finished, and actors leaveTime to notice
	// that they should leave, three times at most; the shards have takeTime to merge what they have, and all the rest
	// stopTime to stop.
	finishTime = 200 * time.Millisecond
	leaveTime  = 100 * time.Millisecond
	takeTime   = 200 * time.Millisecond
	stopTime   = 100 * time.Millisecond
)

// troupe is the group of actors that does the work.
type troupe struct {
	tokenizing *supervise.Supervisor // Of the tokenizers, which may die.
	vital      *supervise.Supervisor // Of all others, which must not.
	walker     actor.Ref[start]
	surveyor   actor.Ref[start]
	feeders    []actor.Ref[file]
	tokenizers []actor.Ref[task]
	shards     []actor.Ref[toShard]
	query      actor.Ref[top]
	collector  actor.Ref[toCollector]
	faults     *faults
}

// assemble starts the troupe. It calls fail when an actor dies that is vital. Whatever it started before an error is
// stopped with the system.
func (t *troupe) assemble(ctx context.Context, sys *actor.System, cfg Config, fail func(error)) (err error) {
	if err := t.startSupervisors(sys, fail); err != nil {
		return err
	}
	tree := tree{cfg.FS, cfg.MaxFileSize}
	if t.collector, err = spawnVital(ctx, t, "collector", newCollector()); err != nil {
		return err
	}
	if err := t.spawnShards(ctx, cfg); err != nil {
		return err
	}
	if t.query, err = spawnVital(ctx, t, "query", newQuery(t.shards, cfg.Top)); err != nil {
		return err
	}
	for i := range cfg.Tokenizers {
		if err := t.spawnMember(ctx, i, cfg, tree); err != nil {
			return err
		}
	}
	walker := &walker{tree: tree, feeders: t.feeders, collector: t.collector}
	if t.walker, err = spawnVital(ctx, t, "walker", walker); err != nil {
		return err
	}
	t.surveyor, err = spawnVital(ctx, t, "surveyor", &surveyor{tree, t.collector})
	return err
}

func (t *troupe) startSupervisors(sys *actor.System, fail func(error)) (err error) {
	t.tokenizing, err = supervise.Start(sys, supervise.Config{
		Name: "tokenizers", Intensity: intensity, Period: period,
	})
	if err != nil {
		return err
	}
	t.vital, err = supervise.Start(sys, supervise.Config{
		Name:      "vital",
		OnRestart: func(r supervise.Restart) { fail(fmt.Errorf("demo: %s died: %w", r.Name, r.Reason)) },
	})
	return err
}

// spawnVital spawns an actor whose death fails the run.
func spawnVital[M any](
	ctx context.Context, t *troupe, name string, a actor.Actor[M], opts ...actor.Option,
) (actor.Ref[M], error) {
	return supervise.Spawn(ctx, t.vital, supervise.Child[M]{
		Name:    name,
		New:     func() actor.Actor[M] { return a },
		Restart: supervise.Transient, // An actor that stops by itself has not died.
		Options: opts,
	})
}

func (t *troupe) spawnShards(ctx context.Context, cfg Config) error {
	for i := range cfg.Shards {
		shard, err := spawnVital(ctx, t, fmt.Sprintf("shard-%d", i), &shard{word.NewIndex(cfg.Top)},
			actor.WithCapacity(actor.Data, shardCapacity))
		if err != nil {
			return err
		}
		t.shards = append(t.shards, shard)
	}
	return nil
}

// spawnMember adds a member to the work pool: a feeder with a tokenizer of its own.
func (t *troupe) spawnMember(ctx context.Context, i int, cfg Config, tree tree) error {
	tokenizer, err := supervise.Spawn(ctx, t.tokenizing, supervise.Child[task]{
		Name: fmt.Sprintf("tokenizer-%d", i),
		New:  func() actor.Actor[task] { return newTokenizer(t.shards, t.faults) },
	})
	if err != nil {
		return err
	}
	feeder, err := spawnVital(ctx, t, fmt.Sprintf("feeder-%d", i),
		&feeder{tree: tree, tokenizer: tokenizer, collector: t.collector, attempts: cfg.attempts},
		actor.WithCapacity(actor.Data, feederCapacity))
	t.feeders, t.tokenizers = append(t.feeders, feeder), append(t.tokenizers, tokenizer)
	return err
}

// work indexes everything and returns the tally once every file is accounted for and every batch merged.
func (t *troupe) work(ctx context.Context, survey bool) (Tally, error) {
	if survey {
		if err := t.surveyor.Send(ctx, start{}); err != nil {
			return Tally{}, err
		}
	}
	if err := t.walker.Send(ctx, start{}); err != nil {
		return Tally{}, err
	}
	ctx = actor.WithoutAskTimeout(ctx) // They answer when all is done.
	tally, err := actor.Ask(ctx, t.collector, func(reply actor.Reply[Tally]) toCollector { return await{reply} })
	if err != nil {
		return Tally{}, err
	}
	for _, shard := range t.shards {
		if _, err := actor.Ask(ctx, shard, func(reply actor.Reply[int]) toShard { return settle{reply} }); err != nil {
			return Tally{}, err
		}
	}
	return tally, nil
}

// tally returns the tally so far.
func (t *troupe) tally(ctx context.Context) (Tally, error) {
	return actor.Ask(ctx, t.collector.On(actor.Management), func(reply actor.Reply[Tally]) toCollector {
		return tell{reply}
	})
}

// sampler returns a function that returns the tally so far, with the number of files if it is known from before.
func (t *troupe) sampler(files int) func() Tally {
	var last Tally
	return func() Tally {
		ctx, cancel := context.WithTimeout(context.Background(), sampleTime)
		defer cancel()
		if tally, err := t.tally(ctx); err == nil {
			last = tally
		}
		last.Total = max(last.Total, files)
		return last
	}
}

// halt ends the work where it is and returns the tally: nothing new is begun, and files that are being counted are
// finished unless they are long.
func (t *troupe) halt(ctx context.Context) Tally {
	ctx = context.WithoutCancel(ctx)
	stopAll(ctx, 0, t.surveyor, t.walker)
	stopAll(ctx, finishTime, t.feeders...)
	stopAll(ctx, 0, t.tokenizers...)
	return t.sampler(0)()
}

// stopAll stops actors. After the grace period, the contexts of handlers that still run are cancelled.
func stopAll[M any](ctx context.Context, grace time.Duration, refs ...actor.Ref[M]) {
	gentle, cancel := context.WithTimeout(ctx, grace)
	defer cancel()
	forced, cancel := context.WithTimeout(ctx, grace+leaveTime)
	defer cancel()
	var stopping sync.WaitGroup
	for _, ref := range refs {
		stopping.Go(func() {
			if ref.Stop(gentle) != nil {
				_ = ref.Stop(forced)
			}
		})
	}
	stopping.Wait()
}

// indexes takes the indexes from the shards, which stop. It goes on for a while after its context has ended.
func (t *troupe) indexes(ctx context.Context) ([]*word.Index, error) {
	if ctx.Err() != nil {
		var cancel func()
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), takeTime)
		defer cancel()
	}
	var all []*word.Index
	for _, shard := range t.shards {
		index, err := actor.Ask(ctx, shard, func(reply actor.Reply[*word.Index]) toShard { return surrender{reply} })
		if err != nil {
			return nil, err
		}
		all = append(all, index)
	}
	return all, nil
}
