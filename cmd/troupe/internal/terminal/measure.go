package terminal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/troupe-go/troupe/actor"
)

// Plan says how much is measured.
type Plan struct {
	Keys      int           // Keystrokes, idle and under flood.
	Every     time.Duration // Between one that was seen and the next.
	Pours     int           // How often a megabyte is written; the median counts.
	Large     int           // Megabytes of the larger output.
	File      int           // Megabytes of the file for cat.
	Terminals int           // Idle ones, to see what many cost.
}

// Full is the evaluation, about seven seconds for each subject and round.
var Full = Plan{Keys: 500, Every: 2 * time.Millisecond, Pours: 15, Large: 64, File: 64, Terminals: 64}

// Quick shows that all works.
var Quick = Plan{Keys: 30, Every: 2 * time.Millisecond, Pours: 2, Large: 2, File: 2, Terminals: 8}

// Measure makes one run of a subject, in this process, and checks what its
// screens show against a sequential parse.
func (p Plan) Measure(ctx context.Context, subject string) (Figures, error) {
	file, err := floodFile(p.File)
	if err != nil {
		return nil, err
	}
	defer os.Remove(file) //nolint:errcheck // It is in the directory for such files.
	f := Figures{}
	for _, part := range []func(context.Context, Figures, string, string) error{p.steady, p.flooded, p.checked, p.many, p.piped} {
		if err := part(ctx, f, subject, file); err != nil {
			return nil, fmt.Errorf("%s: %w", subject, err)
		}
	}
	return f, nil
}

// steady measures keystrokes while nothing else happens, and then throughput. All
// that the program writes is known, and so is what the screen must show.
func (p Plan) steady(ctx context.Context, f Figures, subject, _ string) (err error) {
	r, ctx, err := newRig(ctx, subject, nil)
	if err != nil {
		return err
	}
	want := NewScreen(Rows, Cols)
	_, _ = want.Write([]byte(prelude))
	text := flood(2, Megabyte)
	err = p.keystrokes(ctx, r, f, idle)
	for i := range p.Keys {
		_, _ = want.Write(status(keyAt(i)))
	}
	took := []float64{}
	pour := func(n int, end byte) {
		if err != nil {
			return
		}
		var t time.Duration
		t, err = r.pour(ctx, text, n, end)
		took = append(took, t.Seconds())
		for range n {
			_, _ = want.Write(text)
		}
		_, _ = want.Write(status(end))
	}
	for i := range p.Pours {
		pour(1, "<>"[i%2])
	}
	if err == nil {
		slices.Sort(took)
		f[ptySmall] = Megabyte / 1e6 / took[len(took)/2]
	}
	took = nil
	if pour(p.Large, '='); err == nil {
		f[ptyLarge] = float64(p.Large) * Megabyte / 1e6 / took[0]
	}
	if err = r.close(err); err != nil {
		return err
	}
	return differ(r.session.screen, want)
}

// flooded measures keystrokes while cat writes as fast as it can.
func (p Plan) flooded(ctx context.Context, f Figures, subject, file string) error {
	r, ctx, err := newRig(ctx, subject, nil)
	if err != nil {
		return err
	}
	flooding, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() {
		err := r.program.flood(flooding, file, false)
		if err != nil {
			r.cancel(err)
		}
		ended <- err
	}()
	const warm = Megabyte
	for r.session.parsed.Load() < warm && ctx.Err() == nil {
		time.Sleep(time.Millisecond)
	}
	err = p.keystrokes(ctx, r, f, underFlood)
	stop()
	return r.close(errors.Join(err, <-ended))
}

// checked has cat write once while keys are pressed, and compares the screen with
// a sequential parse of what was read.
func (p Plan) checked(ctx context.Context, _ Figures, subject, file string) error {
	var record bytes.Buffer
	r, ctx, err := newRig(ctx, subject, &record)
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- r.program.flood(ctx, file, true) }()
	for i := 0; err == nil && len(ended) == 0; i++ {
		_, err = r.strike(ctx, keyAt(i))
	}
	if err != nil {
		r.cancel(err) // It ends cat.
	}
	if err = r.close(errors.Join(err, <-ended)); err != nil {
		return err
	}
	if n := r.session.parsed.Load(); n != int64(record.Len()) {
		return fmt.Errorf("terminal: %d bytes were read, but %d parsed", record.Len(), n)
	}
	want := NewScreen(Rows, Cols)
	_, _ = want.Write(record.Bytes())
	return differ(r.session.screen, want)
}

// differ returns an error unless got shows the same as want. The Reader has none.
func differ(got, want *Screen) error {
	if got == nil || got.Equal(want) {
		return nil
	}
	return fmt.Errorf("terminal: the screen shows\n%s\nbut a sequential parse\n%s", got, want)
}

// keyAt is the key that is pressed next: not the one before.
func keyAt(i int) byte { return 'a' + byte(i%26) }

// keystrokes measures keys, and what the process uses meanwhile.
func (p Plan) keystrokes(ctx context.Context, r *rig, f Figures, load string) error {
	const longest, digits = int64(patience), 3
	taken := hdrhistogram.New(1, longest, digits)
	before, parsed, began := usage(), r.session.parsed.Load(), time.Now()
	for i := range p.Keys {
		d, err := r.strike(ctx, keyAt(i))
		if err != nil {
			return err
		}
		if err := taken.RecordValue(min(int64(d), longest)); err != nil {
			return err
		}
		time.Sleep(p.Every)
	}
	after, seconds := usage(), time.Since(began).Seconds()
	megabytes := float64(r.session.parsed.Load()-parsed) / 1e6
	for name, quantile := range map[string]float64{p50: 50, p95: 95, p99: 99, longestKey: 100} {
		f[load+name] = float64(taken.ValueAtPercentile(quantile)) / 1e3
	}
	f[load+threads], f[load+rss], f[load+heap] = float64(after.Threads), after.RSS, after.Heap
	f[load+cpu] = (after.CPU - before.CPU) / seconds
	if load == underFlood {
		f[load+speed] = megabytes / seconds
		f[load+cpuPerGB] = (after.CPU - before.CPU) / megabytes * 1e3
	}
	return nil
}

// many finds out what idle terminals cost: emulators without programs, each of
// which has shown one chunk.
func (p Plan) many(ctx context.Context, f Figures, subject, _ string) (err error) {
	sys, err := actor.NewSystem(actor.Config{Name: "terminals"})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stopSystem(sys)) }()
	emulators, err := newEmulators(sys, subject)
	if err != nil {
		return err
	}
	text := flood(3, ChunkSize)
	for i := range p.Terminals {
		s := newSession(i, nil)
		e, err := emulators(s)
		if err != nil {
			return err
		}
		c := <-s.free
		c.n = copy(c.data[:], text)
		if err := e.output(ctx, c); err != nil {
			return err
		}
		if err := s.settle(ctx); err != nil {
			return err
		}
	}
	f[manyThreads] = float64(usage().Threads)
	return nil
}
