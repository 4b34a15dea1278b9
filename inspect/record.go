package inspect

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/sched"
)

// RecordConfig configures [Inspector.Record]. The zero value keeps events, and
// writes nothing by itself.
type RecordConfig struct {
	// Events is how many events are kept of each worker; see
	// [sched.RecorderConfig]. Defaults to 8192, which is 460 KB a worker.
	Events int
	// Dir is a directory for recordings: one is written there when an actor or a
	// job panics. It is made if it does not exist. Defaults to none.
	Dir string
	// Every is how often that is done at most; panics in between are counted in
	// the next. Defaults to 1 minute.
	Every time.Duration
	// Keep is how many recordings the directory has at most; the oldest are
	// removed, also recordings of former runs of the program. Defaults to 10.
	Keep int
}

func (c RecordConfig) withDefaults() (RecordConfig, error) {
	if c.Every < 0 {
		return c, fmt.Errorf("inspect: RecordConfig.Every is %v; it must be positive, or 0 for 1m", c.Every)
	}
	if c.Keep < 0 {
		return c, fmt.Errorf("inspect: RecordConfig.Keep is %d; it must be positive, or 0 for 10", c.Keep)
	}
	c.Every, c.Keep = cmp.Or(c.Every, time.Minute), cmp.Or(c.Keep, 10)
	if c.Dir == "" {
		return c, nil
	}
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return c, fmt.Errorf("inspect: RecordConfig.Dir: %w", err)
	}
	return c, nil
}

// Recorder is a flight recorder of a system: the last events of each worker,
// with the actors, jobs and messages that they are about. Its methods are safe
// for concurrent use.
type Recorder struct {
	i         *Inspector
	cfg       RecordConfig
	from      *sched.Recorder
	unobserve func()

	panics  chan string // Has one that is to be written.
	over    chan struct{}
	closing sync.Once
	writer  sync.WaitGroup

	mu      sync.Mutex
	last    time.Time // When a recording was begun to be written.
	counted int       // Panics since.
}

// Record begins to record what the workers of the system do, in bounded memory,
// until the recorder, or the inspector, is closed. The recording can be
// written at any time, is written when something panics if there is a
// RecordConfig.Dir, and is shown by the live page.
//
// It returns an error for a configuration that makes no sense, for a directory
// that can't be made, and [sched.ErrRecording] if the system's scheduler is
// recorded already. While it is on, each event costs about 50 ns: two or three
// for each time that an actor runs, and one for each message.
func (i *Inspector) Record(cfg RecordConfig) (*Recorder, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	r := &Recorder{i: i, cfg: cfg, panics: make(chan string, 1), over: make(chan struct{})}
	i.recorderMu.Lock()
	defer i.recorderMu.Unlock()
	select {
	case <-i.closing:
		return nil, ErrClosed
	default:
	}
	r.from, err = i.sys.Scheduler().Record(sched.RecorderConfig{Events: cfg.Events, OnFailure: r.jobFailed})
	if err != nil {
		return nil, fmt.Errorf("inspect: %w", err)
	}
	if r.unobserve, err = i.sys.Observe(&actor.Probe{Marks: true, Ended: r.actorEnded}); err != nil {
		r.from.Close()
		return nil, fmt.Errorf("inspect: %w", err)
	}
	i.recorder = r
	r.writer.Go(r.writeAll)
	return r, nil
}

// Recorder returns the recorder that is at work, or nil.
func (i *Inspector) Recorder() *Recorder {
	i.recorderMu.Lock()
	defer i.recorderMu.Unlock()
	return i.recorder
}

// Snapshot returns what is recorded, without holding anybody up. It costs some
// ms, and as much memory as the recorder has. A recorder that is closed has no
// events.
func (r *Recorder) Snapshot() *Recording {
	return &Recording{Name: programName(), Recording: r.from.Snapshot()}
}

// Close ends the recording, and waits for a file that is being written. It may
// be called more than once.
func (r *Recorder) Close() {
	r.closing.Do(func() {
		r.unobserve()
		close(r.over)
		r.writer.Wait()
		r.from.Close()
		r.i.recorderMu.Lock()
		defer r.i.recorderMu.Unlock()
		if r.i.recorder == r {
			r.i.recorder = nil
		}
	})
}

func (r *Recorder) actorEnded(e actor.Ending) {
	if p := (*actor.PanicError)(nil); errors.As(e.Reason, &p) {
		r.panicked(fmt.Sprintf("actor %s%s: %v", e.Name, e.PID, e.Reason))
	}
}

func (r *Recorder) jobFailed(j *sched.Job, err error) { r.panicked(fmt.Sprintf("%v: %v", j, err)) }

// panicked has a recording written, unless one was just now.
func (r *Recorder) panicked(why string) {
	if r.cfg.Dir == "" {
		return
	}
	r.mu.Lock()
	r.counted++
	due := r.last.IsZero() || time.Since(r.last) >= r.cfg.Every
	if due {
		if r.counted > 1 {
			why = fmt.Sprintf("%s (and %d panics before)", why, r.counted-1)
		}
		r.last, r.counted = time.Now(), 0
	}
	r.mu.Unlock()
	if due {
		select {
		case r.panics <- why:
		default: // The one before is still being written.
		}
	}
}

func (r *Recorder) writeAll() {
	for {
		select {
		case why := <-r.panics:
			r.writeOne(why)
			continue
		case <-r.over:
		}
		select {
		case why := <-r.panics: // It came before the end.
			r.writeOne(why)
		default:
		}
		return
	}
}

func (r *Recorder) writeOne(why string) {
	rec := r.Snapshot()
	rec.Reason = why
	e := Event{Kind: Recorded, Level: slog.LevelInfo, Error: why}
	name, err := r.keep(rec)
	if e.Text = "a recording of what led to a panic is in " + name; err != nil {
		e.Level, e.Text = slog.LevelError, fmt.Sprintf("a recording could not be written: %v", err)
	}
	r.i.hub.tell(e)
}

const (
	recordingPrefix = "troupe-recording-"
	recordingSuffix = ".json"
)

// keep writes a recording to a file of the directory, and removes the oldest.
func (r *Recorder) keep(rec *Recording) (name string, err error) {
	stamp := strings.ReplaceAll(time.Now().UTC().Format("20060102-150405.000000"), ".", "-")
	name = filepath.Join(r.cfg.Dir, recordingPrefix+stamp+recordingSuffix)
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return name, err
	}
	if err = errors.Join(rec.Write(f), f.Close()); err != nil {
		_ = os.Remove(name)
		return name, err
	}
	entries, err := os.ReadDir(r.cfg.Dir) // In the order of their names, and so of their times.
	if err != nil {
		return name, err
	}
	entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool {
		return !strings.HasPrefix(e.Name(), recordingPrefix) || !strings.HasSuffix(e.Name(), recordingSuffix)
	})
	for _, old := range entries[:max(0, len(entries)-r.cfg.Keep)] {
		_ = os.Remove(filepath.Join(r.cfg.Dir, old.Name()))
	}
	return name, nil
}
