package journal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// An event that is set aside is a position of the store with a name of its own, and so in
// no table that could disagree with the events: see asideName. While it is there, Trim leaves
// the event. If the stream is erased, the event is gone, and the position is dropped.

const asidePrefix = reserved + "aside/"

// asideName is under what the position of an event that was set aside is stored.
func asideName(outbox string, p Position) string {
	return fmt.Sprintf("%s%s/%020d", asidePrefix, outbox, p)
}

// setAside puts the event on the list. It may be there from before a crash.
func (o *Outbox[E]) setAside(ctx context.Context, r Record) error {
	err := o.keeper.MovePosition(ctx, asideName(o.cfg.Name, r.Position), 0, r.Position)
	switch {
	case errors.Is(err, ErrMoved):
		return nil // And is counted.
	case err != nil:
		return fmt.Errorf("journal: the outbox %q, set aside event %d of stream %q: %w", o.cfg.Name, r.Version, r.Stream, err)
	}
	o.held[r.Stream]++
	return nil
}

// load reads what was set aside before the process began.
func (o *Outbox[E]) load(ctx context.Context) error {
	if o.loaded {
		return nil
	}
	list, err := o.list(ctx, true)
	if err != nil {
		return err
	}
	for _, d := range list {
		o.held[d.Stream]++
	}
	o.loaded = true
	return nil
}

// list reads the events that were set aside, by their positions. With
// forget, the positions of erased events are deleted: they would hold up Trim.
func (o *Outbox[E]) list(ctx context.Context, forget bool) (list []Delivery[E], err error) {
	all, err := o.keeper.Positions(ctx)
	if err != nil {
		return nil, fmt.Errorf("journal: what the outbox %q has set aside: %w", o.cfg.Name, err)
	}
	for name, at := range all {
		if !strings.HasPrefix(name, asidePrefix) || name != asideName(o.cfg.Name, at) {
			continue
		}
		e, there, err := o.at(ctx, at)
		if err != nil {
			return nil, err
		}
		switch {
		case !there && forget:
			if err := o.keeper.MovePosition(ctx, name, at, 0); err != nil {
				return nil, fmt.Errorf("journal: the outbox %q, forget position %d, which was erased: %w", o.cfg.Name, at, err)
			}
		case there:
			list = append(list, Delivery[E]{Envelope: e, ID: deliveryID(e.Record), Attempt: 1})
		}
	}
	slices.SortFunc(list, func(a, b Delivery[E]) int { return cmp.Compare(a.Position, b.Position) })
	return list, nil
}

// at reads the event with a position. It may be erased.
func (o *Outbox[E]) at(ctx context.Context, p Position) (e Envelope[E], there bool, err error) {
	for r, err := range o.cfg.Journal.store.Feed(ctx, p-1, Filter{}) {
		if err != nil {
			return e, false, fmt.Errorf("journal: the outbox %q, feed after %d: %w", o.cfg.Name, p-1, err)
		}
		if r.Position != p {
			break
		}
		event, err := o.cfg.Events.Decode(r)
		return Envelope[E]{r, event}, err == nil, err
	}
	return e, false, nil
}

// Aside returns the events that were set aside, in their order. The events of
// erased streams are gone. It may be called while the outbox runs, and costs as much as
// there are.
func (o *Outbox[E]) Aside(ctx context.Context) ([]Delivery[E], error) { return o.list(ctx, false) }

// Retry delivers the events that were set aside, once each and in their order, and returns
// how many succeeded. After a failure, the later events of the same stream stay on the list with it,
// and the error joins all failures. When the list has no event of a stream any more, new
// ones are delivered as usual.
func (o *Outbox[E]) Retry(ctx context.Context) (n int, err error) {
	if err := o.take(ctx); err != nil {
		return 0, err
	}
	defer o.give()
	list, err := o.list(ctx, true)
	if err != nil {
		return 0, err
	}
	defer func() {
		o.loaded, o.held = false, map[string]int{} // Erased events are off the list.
	}()
	var failures error
	failed := map[string]bool{}
	for _, d := range list {
		if failed[d.Stream] {
			continue
		}
		if cause := context.Cause(ctx); cause != nil {
			return n, errors.Join(failures, cause)
		}
		if failure := o.deliver(ctx, d); failure != nil {
			failed[d.Stream] = true
			failures = errors.Join(failures, fmt.Errorf("journal: the outbox %q, event %s: %w", o.cfg.Name, d.ID, failure))
			o.cfg.Report(d, true, failure)
			continue
		}
		if err := o.keeper.MovePosition(context.WithoutCancel(ctx), asideName(o.cfg.Name, d.Position), d.Position, 0); err != nil {
			return n, errors.Join(failures, fmt.Errorf("journal: the outbox %q, take event %s off the list: %w", o.cfg.Name, d.ID, err))
		}
		n++
	}
	return n, failures
}
