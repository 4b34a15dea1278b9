// Package storing measures journals: 64 actors that persist to SQLite and PostgreSQL beside
// statements written by hand, recovery beside plain reads, how long a Persist takes in
// commits, and whether actors that persist hold workers.
package storing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/bench/suite"
	"github.com/troupe-go/troupe/journal"
)

// Workloads are all of them, in the order in which they are reported.
var Workloads = []*suite.Workload{&toSQLite, &toPostgres, &recovery, &latency, &count, &many}

// Subjects are this project and the same by hand, in the order of the tables.
var Subjects = subjects()

// The names of the subjects.
const (
	troupe = "troupe"
	raw    = "raw"    // Groups of writers, by hand.
	single = "single" // A commit for each event, by hand.
)

const (
	// writers is how many write at once.
	writers = 64
	// half is how many events a transaction has by hand, and what 64 actors make of
	// themselves: while one half commits, the other half comes.
	half = writers / 2
)

func subjects() []*suite.Subject {
	families := []suite.Family{suite.Journals}
	ours := &suite.Subject{
		Name: troupe, About: "actors of package journal, with its stores", Families: families,
		Runs: map[string]suite.Func{
			toSQLite.Name: persistToSQLite, toPostgres.Name: persistToPostgres, recovery.Name: recoverActor,
			latency.Name: persistInCommits, count.Name: countCommits, many.Name: askBesideMany,
		},
	}
	grouped := &suite.Subject{
		Name: raw, About: "the same by hand: statements of the same driver, 32 events in a transaction, as many as 64 actors make", Families: families,
		Runs: map[string]suite.Func{
			toSQLite.Name: groupsToSQLite, toPostgres.Name: batchesToPostgres, recovery.Name: readRows, latency.Name: commitsByHand, many.Name: askAlone,
		},
		Notes: map[string]string{count.Name: "it has no actors", many.Name: "the same question with nobody who persists"},
	}
	alone := &suite.Subject{
		Name: single, About: "by hand, a transaction for each event", Families: families,
		Runs:  map[string]suite.Func{toSQLite.Name: singlesToSQLite},
		Notes: map[string]string{toPostgres.Name: "it is for SQLite", recovery.Name: "it is about writing", latency.Name: "it has no actors", count.Name: "it has no actors", many.Name: "it has no actors"},
	}
	all := []*suite.Subject{ours, grouped, alone}
	if why := noPostgres(); why != "" {
		for _, s := range all {
			delete(s.Runs, toPostgres.Name)
			s.Notes = suite.Merge(s.Notes, map[string]string{toPostgres.Name: why})
		}
	}
	return all
}

// noted is what is stored: some 60 bytes of JSON, by hand as well.
type noted struct {
	N       int    `json:"n"`
	Account string `json:"account"`
	Text    string `json:"text"`
}

func note(n int) noted { return noted{n, "account/1001", "a deposit at the counter"} }

var notes = journal.Events[noted](journal.Event[noted]("noted"))

func encoded(n int) ([]byte, error) { return json.Marshal(note(n)) }

// persist asks an actor to persist an event, or only to tell how many it has.
type persist struct {
	reply actor.Reply[int]
	look  bool
}

// keeper is an actor that counts its events.
type keeper struct {
	n       int
	samples *[]sample     // Of each Persist, if it is not nil.
	commits *atomic.Int64 // How many commits have ended. Nil without samples.
}

// sample is how long a Persist took, and how many commits have ended meanwhile.
type sample struct {
	took    time.Duration
	commits int64
}

func (k *keeper) Apply(noted) { k.n++ }

func (k *keeper) Receive(ctx *journal.Context[persist, noted], m persist) error {
	if m.look {
		return m.reply.Send(ctx, k.n)
	}
	before, begin := int64(0), time.Now()
	if k.samples != nil {
		before = k.commits.Load()
	}
	if err := ctx.Persist(note(k.n)); err != nil {
		return err
	}
	if k.samples != nil {
		*k.samples = append(*k.samples, sample{time.Since(begin), k.commits.Load() - before})
	}
	return m.reply.Send(ctx, k.n)
}

var background = context.Background()

// ask asks an actor, and waits as long as the machine takes: a run has a limit of its own.
func ask(ref actor.Ref[persist], look bool) (int, error) {
	ctx, cancel := context.WithTimeout(background, time.Hour)
	defer cancel()
	return actor.Ask(ctx, ref, func(r actor.Reply[int]) persist { return persist{r, look} })
}

// group is a system with actors that persist.
type group struct {
	sys     *actor.System
	kind    *journal.Kind[persist, noted]
	refs    []actor.Ref[persist]
	samples [][]sample
}

// newGroup starts n actors, whose streams are the numbers from 0 on, and waits until they
// have read them. Each Persist is
// sampled if there is a counter of commits.
func newGroup(store journal.Store, n int, commits *atomic.Int64, cfg actor.Config) (*group, error) {
	g := &group{samples: make([][]sample, n)}
	kind, err := journal.Actor(journal.Config[persist, noted]{
		Journal: journal.New(store), Events: notes,
		New: func(self *journal.Self) journal.Behaviour[persist, noted] {
			k := &keeper{}
			if i, err := strconv.Atoi(self.ID()); commits != nil && err == nil {
				k.samples, k.commits = &g.samples[i], commits
			}
			return k
		},
	})
	if err != nil {
		return nil, err
	}
	g.kind = kind
	if g.sys, err = actor.NewSystem(cfg); err != nil {
		return nil, err
	}
	for i := range n {
		ref, err := actor.SpawnNew(g.sys, kind.For(strconv.Itoa(i)))
		if err != nil {
			return nil, errors.Join(err, g.sys.Stop(background))
		}
		g.refs = append(g.refs, ref)
	}
	for _, ref := range g.refs {
		if _, err := ask(ref, true); err != nil {
			return nil, errors.Join(err, g.sys.Stop(background))
		}
	}
	return g, nil
}

// persist has each actor persist k events, one after the other, all at once.
func (g *group) persist(k int) error {
	errs := make([]error, len(g.refs))
	var all sync.WaitGroup
	for i, ref := range g.refs {
		all.Go(func() {
			for range k {
				if _, err := ask(ref, false); err != nil {
					errs[i] = err
					return
				}
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// measure has the actors persist all events of the run.
func (g *group) measure(r *suite.Run) error {
	r.Start()
	err := g.persist(r.N / writers)
	r.Stop()
	return errors.Join(err, g.sys.Stop(background))
}

// inFile calls f with the path of a database in a folder of its own.
func inFile(f func(path string) error) error {
	dir, err := os.MkdirTemp("", "troupe-bench")
	if err != nil {
		return fmt.Errorf("a folder for the database: %w", err)
	}
	return errors.Join(f(filepath.Join(dir, "journal.db")), os.RemoveAll(dir))
}
