package terminal

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/router"
)

// hops is how many stages a keystroke goes through in a pipeline.
const hops = 4

// pipeline is an editor in four stages, each with state of its own, in one process and
// without a pseudo-terminal: what the hand-over from one stage to the next costs is all that
// differs between the subjects. A keystroke is decoded, mapped to a command, carried out on
// a line of text and drawn on a screen. Output goes through the same stages, to the screen.
type pipeline struct {
	hand    func(ctx context.Context, stage int, in parcel) error // Hands in to a stage.
	session *session                                              // Belongs to the last stage.
	passed  atomic.Int64                                          // How many messages the stages have taken.
	keymap  map[chord]command
	line    []byte
}

// parcel is what goes from stage to stage: a piece of output, or what has become of a key.
type parcel struct {
	chunk   *chunk // Nil for a key.
	key     byte
	chord   chord
	command command
	text    [Cols - 2]byte // The line, for the screen.
	length  int
}

func (in parcel) lane() actor.Lane {
	if in.chunk == nil {
		return actor.Control
	}
	return actor.Data
}

// chord is what the first stage makes of a key: a letter, perhaps with the control key.
type chord struct {
	letter byte
	ctrl   bool
}

// decode returns the chord that a terminal sends as key.
func decode(key byte) chord {
	if key < ' ' {
		return chord{key | 0x60, true}
	}
	return chord{key, false}
}

// command is what the second stage makes of a chord.
type command uint8

const (
	insert command = iota
	erase
)

// take does the work of a stage and hands the result to the next one.
func (p *pipeline) take(ctx context.Context, stage int, in parcel) error {
	p.passed.Add(1)
	switch {
	case stage == hops-1:
		p.draw(in)
		return nil
	case in.chunk != nil: // Output concerns the last stage alone.
	case stage == 0:
		in.chord = decode(in.key)
	case stage == 1:
		in.command = p.keymap[in.chord]
	case stage == 2:
		p.edit(&in)
	}
	return p.hand(ctx, stage+1, in)
}

// edit carries out a command on the line.
func (p *pipeline) edit(in *parcel) {
	switch {
	case in.command == erase && len(p.line) > 0:
		p.line = p.line[:len(p.line)-1]
	case in.command == insert && len(p.line) == len(in.text):
		p.line = append(p.line[:0], in.chord.letter)
	case in.command == insert:
		p.line = append(p.line, in.chord.letter)
	}
	in.length = copy(in.text[:], p.line)
}

// draw shows a line in the last row, or output above it.
func (p *pipeline) draw(in parcel) {
	if in.chunk != nil {
		p.session.feed(in.chunk)
		return
	}
	_, _ = fmt.Fprintf(p.session.screen, "\x1b7\x1b[%d;1H%c %s\x1b[K\x1b8", Rows, in.chord.letter, in.text[:in.length])
	p.session.last = p.session.screen.At(Rows-1, 0)
	p.session.shown <- sighting{p.session.last, time.Now()}
}

// newPipeline returns a pipeline of a subject, in a system. With the Reader the stages
// are plain calls under a mutex.
func newPipeline(sys *actor.System, subject string) (*pipeline, error) {
	p := &pipeline{session: newSession(0, nil), keymap: map[chord]command{{'h', true}: erase}}
	_, _ = p.session.screen.Write([]byte(prelude))
	p.session.last = p.session.screen.At(Rows-1, 0)
	switch subject {
	case Thread:
		return p, p.asActors(sys, actor.OnOwnThread)
	case Actor:
		return p, p.asActors(sys, actor.OnScheduler)
	case Pool:
		return p, p.asTasks(sys)
	case Reader:
		var mu sync.Mutex
		p.hand = func(ctx context.Context, stage int, in parcel) error {
			if stage == 0 {
				mu.Lock()
				defer mu.Unlock()
			}
			return p.take(ctx, stage, in)
		}
		return p, nil
	}
	return nil, fmt.Errorf("terminal: unknown subject %q; there are %q", subject, Subjects)
}

// asActors makes each stage an actor.
func (p *pipeline) asActors(sys *actor.System, where actor.Backend) error {
	var stages [hops]actor.Ref[parcel]
	for i := range stages {
		var err error
		stages[i], err = actor.Spawn(sys, actor.Func(func(ctx *actor.Context[parcel], in parcel) error { return p.take(ctx, i, in) }),
			actor.WithBackend(where), actor.WithName(fmt.Sprintf("stage-%d", i)))
		if err != nil {
			return err
		}
	}
	p.hand = func(ctx context.Context, stage int, in parcel) error {
		return stages[stage].On(in.lane()).Send(ctx, in)
	}
	return nil
}

// staged is a parcel and the stage that is to take it.
type staged struct {
	parcel
	stage int
}

// asTasks makes the work of each stage tasks of one pool. The tasks of one stage are done in
// order, keys apart from output.
func (p *pipeline) asTasks(sys *actor.System) error {
	pool, err := router.NewPool(sys, router.PoolConfig[staged, struct{}]{
		Do: func(ctx context.Context, in staged) (struct{}, error) {
			return struct{}{}, p.take(ctx, in.stage, in.parcel)
		},
		// The last stage has one screen for both.
		Key: router.By(func(in staged) (int, bool) {
			if in.chunk == nil && in.stage < hops-1 {
				return hops + in.stage, true
			}
			return in.stage, true
		}),
	})
	p.hand = func(ctx context.Context, stage int, in parcel) error {
		return pool.On(in.lane()).Send(ctx, staged{in, stage})
	}
	return err
}

// piped measures keystrokes through a pipeline, at rest and while output goes through it.
func (p Plan) piped(ctx context.Context, f Figures, subject, _ string) (err error) {
	sys, err := actor.NewSystem(actor.Config{Name: "pipeline"})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stopSystem(sys)) }()
	line, err := newPipeline(sys, subject)
	if err != nil {
		return err
	}
	if err := p.typed(ctx, line, f, idle); err != nil {
		return err
	}
	flooding, stop := context.WithCancel(ctx)
	flooded := make(chan error, 1)
	go func() { flooded <- line.flood(flooding) }()
	const warm = Megabyte
	for line.session.parsed.Load() < warm && len(flooded) == 0 {
		time.Sleep(time.Millisecond)
	}
	err = p.typed(ctx, line, f, underFlood)
	stop()
	return errors.Join(err, <-flooded, line.session.settle(ctx))
}

// flood hands output to the first stage until ctx has ended.
func (p *pipeline) flood(ctx context.Context) error {
	text := flood(4, Megabyte)
	for at := 0; ; at = (at + ChunkSize) % len(text) {
		select {
		case <-ctx.Done():
			return nil
		case c := <-p.session.free:
			c.n = copy(c.data[:], text[at:at+ChunkSize])
			if err := p.hand(context.WithoutCancel(ctx), 0, parcel{chunk: c}); err != nil {
				return fmt.Errorf("terminal: handing output on: %w", err)
			}
		}
	}
}

// typed measures keys, one after the other, and the context switches of the process.
func (p Plan) typed(ctx context.Context, line *pipeline, f Figures, load string) error {
	const longest, digits = int64(patience), 3
	taken := hdrhistogram.New(1, longest, digits)
	before, passed := switches(), line.passed.Load()
	for i := range p.Keys {
		key, began := keyAt(i), time.Now()
		if err := line.hand(ctx, 0, parcel{key: key}); err != nil {
			return fmt.Errorf("terminal: handing a key on: %w", err)
		}
		seen, err := line.session.wait(ctx, key)
		if err != nil {
			return err
		}
		if err := taken.RecordValue(min(int64(seen.Sub(began)), longest)); err != nil {
			return err
		}
		time.Sleep(p.Every)
	}
	f[load+pipeP50] = float64(taken.ValueAtPercentile(50)) / 1e3
	f[load+pipeP99] = float64(taken.ValueAtPercentile(99)) / 1e3
	f[load+pipeSwitches] = float64(switches()-before) / float64(line.passed.Load()-passed)
	return nil
}
