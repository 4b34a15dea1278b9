package simtest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/troupe-go/troupe/internal/sim"
)

// Run runs the body, and the program that it starts, under many schedules, each
// in a bubble of [testing/synctest] with virtual time. If a run fails, Run looks
// for a simpler schedule that fails in the same way, and fails the test with the
// seed, a command that replays it, and what happened step by step.
//
// The body starts systems or schedulers as any program does, or by
// [Sim.System]; they must be stopped when it returns.
func Run(t *testing.T, cfg Config, body func(s *Sim)) {
	t.Helper()
	f, err := Find(t, cfg, body)
	switch {
	case err != nil:
		t.Fatal(err)
	case f != nil:
		f.save(t.Name())
		t.Error(f)
	}
}

// Find is [Run], except that it returns the failure instead of failing the test,
// or nil if there was none: for a test that shows that a fault is found. Then the test's
// log, which go test -v prints, says how much was searched. The error is of the
// configuration.
func Find(t *testing.T, cfg Config, body func(s *Sim)) (*Failure, error) {
	t.Helper()
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	if body == nil {
		return nil, errors.New("simtest: the body is nil")
	}
	r := &runner{t: t, cfg: cfg, body: body, begun: time.Now()}
	if text := os.Getenv(envReplay); text != "" {
		seed, choices, err := decodeToken(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", envReplay, err)
		}
		return r.replay(seed, choices), nil
	}
	if cfg.Strategy == Exhaustive {
		return r.exhaust(), nil
	}
	return r.explore(), nil
}

// Replay runs the body under the schedule of an earlier [Failure].
func Replay(t *testing.T, cfg Config, schedule string, body func(s *Sim)) (*Failure, error) {
	t.Helper()
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	seed, choices, err := decodeToken(schedule)
	if err != nil {
		return nil, err
	}
	return (&runner{t: t, cfg: cfg, body: body, begun: time.Now()}).replay(seed, choices), nil
}

// Fuzz runs the body under the one schedule that the bytes say, for a fuzz
// target: each byte is a choice, and after the last all are the natural ones.
//
//	f.Fuzz(func(t *testing.T, schedule []byte) { simtest.Fuzz(t, simtest.Config{}, schedule, body) })
func Fuzz(t *testing.T, cfg Config, schedule []byte, body func(s *Sim)) {
	t.Helper()
	cfg, err := cfg.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	choices := make([]int, len(schedule))
	for i, b := range schedule {
		choices[i] = int(b)
	}
	r := &runner{t: t, cfg: cfg, body: body, begun: time.Now()}
	if o := r.once(&replayer{choices: choices, wrap: true}, cfg.Seed, false); o.failed() {
		f := r.failure(cfg.Seed, o, "under the given schedule")
		f.save(t.Name())
		t.Error(f)
	}
}

// explore runs the natural schedule, and then those that the strategy chooses.
func (r *runner) explore() *Failure {
	natural := r.once(&replayer{}, r.cfg.Seed, true)
	if natural.failed() {
		f := r.failure(r.cfg.Seed, natural, "under the natural schedule, the oldest work first")
		f.Schedules = 1
		return f
	}
	again := r.once(&replayer{}, r.cfg.Seed, true)
	if diff := difference(natural, again, 2); diff != "" {
		return r.notTheSame(diff)
	}
	r.natural = natural
	for i := range r.cfg.Schedules {
		seed := r.cfg.Seed + uint64(i)
		o := r.next(i, seed, len(natural.made))
		seed = o.seed
		if o.failed() {
			f := r.failure(seed, o, fmt.Sprintf("in schedule %d of %d, seed %d", i+1, r.cfg.Schedules, seed))
			f.Schedules = i + 2 // With the natural one.
			return f
		}
		if f := r.sample(i, seed, o); f != nil {
			f.Schedules = i + 2
			return f
		}
	}
	r.quiet(r.cfg.Schedules, "")
	return nil
}

// next runs the i-th schedule of a search. Where the body says how near it has come to a
// target, every other schedule is a variation of the nearest one.
func (r *runner) next(i int, seed uint64, length int) *outcome {
	var o *outcome
	varied := r.climb.nearest != nil && i%2 == 1
	if varied {
		o = r.once(&replayer{choices: r.climb.candidate()}, r.climb.nearest.seed, false)
	} else {
		o = r.once(r.chooser(seed, length), seed, false)
	}
	r.climb.saw(o, varied)
	return o
}

// notTheSame is the failure of a program of which two runs of one schedule differ,
// though neither has failed.
func (r *runner) notTheSame(differs string) *Failure {
	return &Failure{
		When:     "to be the same twice",
		Messages: []string{"not deterministic: the same schedule gave two different runs: " + differs, usualCauses},
		Differs:  differs, Seed: r.cfg.Seed, Schedules: 1,
	}
}

const usualCauses = `This is what usually causes it: the order of a range over a map; a choice that a select makes among
several ready channels; goroutines of the program's own that race with each other; random numbers from elsewhere than
Sim.Rand; pointers that are compared; state that outlives the body, as a package's variables and caches do.`

// chooser returns the chooser of a seed. Length is about how many decisions the
// program takes.
func (r *runner) chooser(seed uint64, length int) sim.Chooser {
	random := rand.New(rand.NewPCG(seed, 0))
	if r.cfg.Strategy == PCT || r.cfg.Strategy == Mixed && seed%2 == 1 {
		return newPCT(random, r.cfg.Depth, length)
	}
	return newRandomWalk(random)
}

// exhaust goes through all schedules, depth first.
func (r *runner) exhaust() *Failure {
	var choices []int
	for i := range r.cfg.Schedules {
		o := r.once(&replayer{choices: choices}, r.cfg.Seed, false)
		if o.failed() {
			f := r.failure(r.cfg.Seed, o, fmt.Sprintf("in schedule %d of an exhaustive search", i+1))
			f.Schedules = i + 1
			return f
		}
		if i == 0 {
			r.natural = o
		}
		if f := r.sample(i, r.cfg.Seed, o); f != nil {
			f.Schedules = i + 1
			return f
		}
		var more bool
		if choices, more = advance(o.made); !more {
			r.quiet(i+1, ", which are all")
			return nil
		}
	}
	r.quiet(r.cfg.Schedules, ", and there are more")
	return nil
}

// quiet says what was searched when nothing was found.
func (r *runner) quiet(schedules int, remark string) {
	r.t.Helper()
	r.t.Logf("simtest: %s schedules%s, %.1f s, quiet", grouped(schedules), remark, time.Since(r.begun).Seconds())
}

// grouped formats a number with a comma before each three digits.
func grouped(n int) string {
	text := strconv.Itoa(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

func (r *runner) replay(seed uint64, choices []int) *Failure {
	o := r.once(&replayer{choices: choices}, seed, true)
	if !o.failed() {
		r.t.Logf("simtest: the program passes under the replayed schedule\n%s", excerpt(o.trace.lines()))
		return nil
	}
	return r.explain(o, &confirmed{outcome: o, choices: choices, runs: 1, failed: 1}, seed, "when replayed")
}
