package demo

import (
	"errors"
	"fmt"

	"github.com/troupe-go/troupe/actor"
)

// A buffer that a file made longer than this is given back, so that a few long files don't pin their length for good.
const maxKeptText = 4 << 20

// feeder reads one file at a time and sees to it that its tokenizer counts it.
type feeder struct {
	tree      tree
	tokenizer actor.Ref[task]
	collector actor.Ref[toCollector]
	attempts  int
	buf       []byte
}

// Receive reads and counts a file and reports its outcome. A file that it could not finish because it is being stopped
// has no outcome.
func (f *feeder) Receive(ctx *actor.Context[file], m file) error {
	text, why, err := f.tree.read(m.path, f.buf, ctx.Checkpoint)
	if err != nil {
		return ignoreStop(ctx, err)
	}
	result := outcome{why: why, bytes: len(text), walked: true}
	if why == Counted {
		if err := f.count(ctx, m.number, text, &result); err != nil {
			return ignoreStop(ctx, err)
		}
	}
	if f.buf = text[:0]; cap(text) > maxKeptText {
		f.buf = nil
	}
	return ignoreStop(ctx, f.collector.Send(ctx, result))
}

// count asks the tokenizer until it answers. All attempts are given the same text: the file may have changed or
// vanished since.
func (f *feeder) count(ctx *actor.Context[file], number uint32, text []byte, result *outcome) error {
	for attempt := range f.attempts {
		words, err := actor.Ask(ctx, f.tokenizer, func(reply actor.Reply[int]) task {
			return task{number, attempt, text, reply}
		})
		switch {
		case err == nil:
			result.words = words
			return nil
		case !errors.Is(err, actor.ErrNoReply) || errors.Is(err, actor.ErrStopped):
			f.buf = nil // The tokenizer may still be at work on it.
			return fmt.Errorf("demo: asking a tokenizer to count file %d: %w", number, err)
		}
		result.retries++
	}
	result.retries-- // The last failure was followed by no attempt.
	result.why = Failed
	return nil
}

// ignoreStop drops an error that came because the actor is being stopped.
func ignoreStop[M any](ctx *actor.Context[M], err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}
