package demo

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/cmd/troupe/internal/word"
)

// ErrInput is returned when a Config can't be run: a value is out of range, or Dir can't be listed. It is not returned
// for a file below Dir that can't be read, which is counted in [Report.Skipped].
var ErrInput = errors.New("demo: bad input")

// Limits of Config. They are far above what helps, and low enough that a slip of the finger does not take the machine
// down.
const (
	MaxWorkers    = 1024
	MaxTokenizers = 4096
	MaxShards     = 256
	MaxTop        = 1000
)

// Defaults of Config.
const (
	DefaultTop         = 10
	DefaultMaxFileSize = 64 << 20
	DefaultAskEvery    = 2 * time.Millisecond
	DefaultIdleAsks    = 200
)

// Config says what to index and how.
type Config struct {
	// Dir is the directory whose files are indexed.
	Dir string
	// FS is Dir's content. Defaults to os.DirFS(Dir).
	FS fs.FS
	// Workers is the number of the scheduler's workers. Defaults to GOMAXPROCS; at most MaxWorkers.
	Workers int
	// Tokenizers is the number of feeders, and of tokenizers. Defaults to two for each worker; at most MaxTokenizers.
	Tokenizers int
	// Shards is the number of index actors. Defaults to two for each worker; at most MaxShards.
	Shards int
	// Top is how many of the most frequent identifiers are reported. Zero means none; at most MaxTop.
	Top int
	// MaxFileSize is the length in bytes of the longest file that is indexed. Defaults to DefaultMaxFileSize; at most
	// word.MaxText.
	MaxFileSize int64
	// FaultRate is the probability, from 0 to below 1, that a tokenizer panics while it works on a file.
	FaultRate float64
	// Seed chooses the faults. With the same seed, tree, rate and number of shards the same attempts fail.
	Seed uint64
	// Verify counts everything once more, sequentially, and compares.
	Verify bool
	// AskEvery is the time between two urgent queries. Defaults to DefaultAskEvery.
	AskEvery time.Duration
	// IdleAsks is how many urgent queries are asked after the work, for comparison. Defaults to DefaultIdleAsks; -1
	// means none.
	IdleAsks int
	// Progress, when set, is called every ProgressEvery and at the start and end of each phase, by one goroutine at a
	// time.
	Progress func(Progress)
	// ProgressEvery defaults to one second.
	ProgressEvery time.Duration
	// Survey counts the files while the first are indexed, so that Progress has a total.
	Survey bool

	// Started, when set, is called with the system before any actor is spawned. The run ends with the error that it
	// returns.
	Started func(*actor.System) error
	// Keep leaves the system running at the end, with the actors that have not stopped. The caller, which got it through Started, stops it.
	Keep bool

	attempts int // How often a file is tried before it is given up.
}

func (c Config) withDefaults() Config {
	if c.FS == nil {
		c.FS = os.DirFS(c.Dir)
	}
	setDefault(&c.Workers, runtime.GOMAXPROCS(0))
	setDefault(&c.Tokenizers, min(2*c.Workers, MaxTokenizers))
	setDefault(&c.Shards, min(2*c.Workers, MaxShards))
	setDefault(&c.MaxFileSize, DefaultMaxFileSize)
	setDefault(&c.AskEvery, DefaultAskEvery)
	setDefault(&c.IdleAsks, DefaultIdleAsks)
	setDefault(&c.ProgressEvery, time.Second)
	setDefault(&c.attempts, attemptsAt(c.FaultRate))
	return c
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// Validate returns an error that wraps [ErrInput] if the configuration can't be run.
func (c Config) Validate() error {
	return c.withDefaults().validate()
}

func (c Config) validate() error {
	for _, check := range []struct {
		what          string
		value, lowest int64
		highest       int64
	}{
		{"workers", int64(c.Workers), 1, MaxWorkers},
		{"tokenizers", int64(c.Tokenizers), 1, MaxTokenizers},
		{"shards", int64(c.Shards), 1, MaxShards},
		{"top", int64(c.Top), 0, MaxTop},
		{"the maximal file size", c.MaxFileSize, 1, word.MaxText},
		{"the time between urgent queries", int64(c.AskEvery), 1, int64(time.Hour)},
		{"the number of idle queries", int64(c.IdleAsks), -1, 1 << 20},
		{"the time between progress reports", int64(c.ProgressEvery), 1, int64(time.Hour)},
	} {
		if check.value < check.lowest || check.value > check.highest {
			return fmt.Errorf("%w: %s must be from %d to %d, not %d",
				ErrInput, check.what, check.lowest, check.highest, check.value)
		}
	}
	if !(c.FaultRate >= 0 && c.FaultRate < 1) {
		return fmt.Errorf("%w: the fault rate must be at least 0 and below 1, not %v", ErrInput, c.FaultRate)
	}
	return c.validateDir()
}

func (c Config) validateDir() error {
	info, err := fs.Stat(c.FS, ".")
	if err == nil && !info.IsDir() {
		err = errors.New("not a directory")
	}
	if err == nil {
		_, err = fs.ReadDir(c.FS, ".")
	}
	if err != nil {
		if path := (*fs.PathError)(nil); errors.As(err, &path) {
			err = path.Err
		}
		return fmt.Errorf("%w: can't index %q: %w; name a directory that you may read", ErrInput, c.Dir, err)
	}
	return nil
}
