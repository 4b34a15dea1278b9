package stream

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/troupe-go/troupe/engine"
)

// position returns the claim as it is to be stored.
func (p *partition) position() claim {
	c := p.claim
	c.Floor, c.Done, c.Tries = p.pulled, nil, nil
	if len(p.span) > 0 {
		c.Floor = p.span[0].sequence - 1
	}
	for _, i := range p.span {
		if !i.settled {
			continue
		}
		if n := len(c.Done); n > 0 && c.Done[n-1][1] == i.sequence-1 {
			c.Done[n-1][1] = i.sequence
		} else {
			c.Done = append(c.Done, [2]uint64{i.sequence, i.sequence})
		}
	}
	for _, r := range p.known.Done { // Done before, and not read again yet.
		if r[1] > p.pulled {
			c.Done = append(c.Done, [2]uint64{max(r[0], p.pulled+1), r[1]})
		}
	}
	if len(p.tries) > 0 {
		c.Tries = maps.Clone(p.tries)
	}
	return c
}

// write stores the position if there is something new, or looks whether somebody has moved it.
func (p *partition) write() {
	if p.storing || !p.dirty && !p.lookAgain.Load() && !p.isBehind() || p.ctx.Err() != nil {
		return
	}
	look := !p.dirty
	p.lookAgain.Store(false)
	c, stored := p.position(), p.stored
	p.storing, p.dirty = true, false
	if !look {
		p.covered, p.holding = p.holding, nil
	}
	go func() {
		ctx, cancel := context.WithTimeout(p.ctx, callPatience)
		defer cancel()
		stored <- p.call(ctx, c, look)
	}()
}

// call writes the claim, or reads it, also if the write has failed.
func (p *partition) call(ctx context.Context, c claim, look bool) written {
	var err error
	if !look {
		if err = c.store(ctx); err == nil {
			return written{claim: c, ours: true}
		}
	}
	if err == nil || mayPass(err) && !errors.Is(err, engine.ErrUnavailable) {
		now, failed := p.s.core.claimOf(ctx, p.s.name, p.number)
		if failed == nil {
			if now.Seeks < p.seekTo.Load() || now.revision < c.revision { // A stale read.
				_ = sleep(ctx, 5*firstPause)
			}
			return written{claim: now, ours: look}
		}
		err = errors.Join(err, failed)
	}
	_ = sleep(ctx, 10*firstPause)
	return written{err: err}
}

// afterWrite takes the result of call. It tells whether the partition is lost, and whether
// its position was moved by a Seek.
func (p *partition) afterWrite(w written) (lost, moved bool) {
	covered := p.covered
	p.covered = nil
	switch c := w.claim; {
	case w.err == nil && w.ours && c.Owner == p.claim.Owner && c.Seeks == p.claim.Seeks && c.revision >= p.claim.revision:
		for _, i := range covered {
			p.next(i)
		}
	default:
		p.holding = append(covered, p.holding...)
	}
	switch c := w.claim; {
	case w.err != nil && errors.Is(w.err, engine.ErrNotFound):
		p.s.fail(fmt.Errorf("stream: the position of %q in topic %q is gone: %w", p.s.name, p.s.core.name, w.err))
		return true, false
	case w.err != nil:
		p.dirty = true
		if p.ctx.Err() == nil {
			p.s.noteEnd(w.err)
		}
		return false, false
	case c.revision < p.claim.revision: // A stale read, or the engine has lost what it had stored.
		p.dirty = p.dirty || !w.ours
		if p.stale++; p.stale > maxStale {
			p.s.fail(fmt.Errorf("stream: the position of %q in partition %d of topic %q is at revision %d, and was stored at %d: %w",
				p.s.name, p.number, p.s.core.name, c.revision, p.claim.revision, engine.ErrAmnesia))
			return true, false
		}
		return false, false
	case c.Owner != p.claim.Owner:
		p.cancel(errMoved)
		return true, false
	case c.Seeks != p.claim.Seeks:
		p.claim = c
		return false, true
	default:
		p.claim.revision, p.stale = c.revision, 0
		p.dirty = p.dirty || !w.ours
		p.s.note(nil)
		return false, false
	}
}

// giveBack stores the position without an owner.
func (p *partition) giveBack() {
	c := p.position()
	err := persist(p.ctx, func(ctx context.Context) error {
		c.Owner = 0
		err := c.store(ctx)
		if err == nil {
			return nil
		}
		now, failed := p.s.core.claimOf(ctx, p.s.name, p.number)
		switch {
		case failed != nil:
			return err
		case now.Owner != p.claim.Owner:
			return nil // Also if our write was made, and its answer lost.
		case now.Seeks != c.Seeks:
			c = now
		default:
			c.revision = max(c.revision, now.revision)
		}
		return err
	})
	p.gaveBack = err == nil
	if err != nil && p.ctx.Err() == nil {
		p.s.noteEnd(err)
	}
}
