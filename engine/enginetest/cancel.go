package enginetest

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/troupe-go/troupe/engine"
)

// cancelledTable makes each call before with a context that has ended.
type cancelledTable struct {
	k *kit
	engine.Table
}

func (k *kit) cancelled(err error, what string) {
	k.Helper()
	if !errors.Is(err, errCancelled) || errors.Is(err, engine.ErrUnknownOutcome) {
		k.Errorf("%s with a context that has ended: the error is %v, want its cause, and nothing done", what, err)
	}
}

func (t cancelledTable) Get(ctx context.Context, key string) (engine.Entry, error) {
	if _, err := t.Table.Get(ended(), key); engine.CheckSubject("key", key) == nil {
		t.k.cancelled(err, "Get")
	}
	return t.Table.Get(ctx, key)
}

func (t cancelledTable) Put(ctx context.Context, key string, value []byte, expected uint64, ttl time.Duration) (uint64, error) {
	if _, err := t.Table.Put(ended(), key, []byte("never"), expected, 0); engine.CheckSubject("key", key) == nil {
		t.k.cancelled(err, "Put")
	}
	return t.Table.Put(ctx, key, value, expected, ttl)
}

func (t cancelledTable) Delete(ctx context.Context, key string, expected uint64) (uint64, error) {
	if _, err := t.Table.Delete(ended(), key, expected); engine.CheckSubject("key", key) == nil {
		t.k.cancelled(err, "Delete")
	}
	return t.Table.Delete(ctx, key, expected)
}

func (t cancelledTable) Watch(ctx context.Context, after uint64) iter.Seq2[engine.Change, error] {
	steps := 0
	for c, err := range t.Table.Watch(ended(), after) {
		if steps++; err == nil || steps > 1 {
			t.k.Errorf("step %d of a Watch with a context that has ended is %v, %v", steps, c, err)
		}
		t.k.cancelled(err, "Watch")
	}
	return t.Table.Watch(ctx, after)
}

// cancelledLog makes each call before with a context that has ended.
type cancelledLog struct {
	k *kit
	engine.Log
}

func (l cancelledLog) Append(ctx context.Context, expected uint64, records ...engine.Record) (uint64, error) {
	if _, err := l.Log.Append(ended(), expected, records...); engine.CheckAppend(records) == nil {
		l.k.cancelled(err, "Append")
	}
	return l.Log.Append(ctx, expected, records...)
}

func (l cancelledLog) Read(ctx context.Context, from uint64) iter.Seq2[engine.Record, error] {
	for _, err := range l.Log.Read(ended(), from) {
		l.k.cancelled(err, "Read")
	}
	return l.Log.Read(ctx, from)
}

func (l cancelledLog) Info(ctx context.Context) (engine.LogInfo, error) {
	_, err := l.Log.Info(ended())
	l.k.cancelled(err, "Info")
	return l.Log.Info(ctx)
}

func (l cancelledLog) Trim(ctx context.Context, before uint64) error {
	l.k.cancelled(l.Log.Trim(ended(), before), "Trim")
	return l.Log.Trim(ctx, before)
}

func (l cancelledLog) Group(ctx context.Context, name string, c engine.GroupConfig) (engine.Group, error) {
	g, err := l.Log.Group(ctx, name, c)
	if err != nil {
		return nil, err
	}
	return cancelledGroup{l.k, g}, nil
}

// cancelledGroup makes each call before with a context that has ended.
type cancelledGroup struct {
	k *kit
	engine.Group
}

func (g cancelledGroup) Next(ctx context.Context) (engine.Delivery, error) {
	_, err := g.Group.Next(ended())
	g.k.cancelled(err, "Next")
	d, err := g.Group.Next(ctx)
	if err == nil {
		d.Settler = cancelledSettler{g.k, d.Settler}
	}
	return d, err
}

// cancelledSettler makes each call before with a context that has ended.
type cancelledSettler struct {
	k *kit
	engine.Settler
}

func (s cancelledSettler) Ack(ctx context.Context) error {
	s.k.cancelled(s.Settler.Ack(ended()), "Ack")
	return s.Settler.Ack(ctx)
}

func (s cancelledSettler) Nack(ctx context.Context, delay time.Duration) error {
	if err := s.Settler.Nack(ended(), delay); engine.CheckDelay(delay) == nil {
		s.k.cancelled(err, "Nack")
	}
	return s.Settler.Nack(ctx, delay)
}
