package enginetest

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/engine"
)

var busCases = []testCase{
	{"a frame reaches each subscriber of its subject, on all nodes", busReaches},
	{"frames of one publisher come in order", busOrder},
	{"a subject and a class get their own frames only", busApart},
	{"frames of 0, 1 and MaxFrame bytes arrive, and longer ones are refused", busFrames},
	{"subjects of all forms", busSubjects},
	{"a slow subscriber has frames dropped and counted, and holds up no other", busSlow},
	{"after Close of a subscription deliver is not called", busClose},
	{"a publish with a context that has ended does nothing", busCancelled},
}

func runBus(t *testing.T, s Subject) {
	t.Helper()
	for _, c := range busCases {
		t.Run(c.name, func(t *testing.T) { c.run(newKit(t, s.Engines, false)) })
	}
}

var classes = []engine.Class{engine.Urgent, engine.Bulk}

// inbox has the frames of a subscription.
type inbox struct {
	mu     sync.Mutex
	frames [][]byte
}

func (in *inbox) all() [][]byte {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.frames
}

func (in *inbox) has(frame []byte) bool {
	for _, f := range in.all() {
		if bytes.Equal(f, frame) {
			return true
		}
	}
	return false
}

func (k *kit) subscribe(node int, class engine.Class, subject string, deliver func(frame []byte)) engine.Subscription {
	k.Helper()
	sub, err := k.node(node).Bus().Subscribe(class, subject, deliver)
	k.must(err, fmt.Sprintf("Subscribe to %q", subject))
	k.Cleanup(func() {
		if err := sub.Close(); err != nil {
			k.Errorf("Close of a subscription: %v", err)
		}
	})
	return sub
}

func (k *kit) inbox(node int, class engine.Class, subject string) *inbox {
	k.Helper()
	in := &inbox{}
	k.subscribe(node, class, subject, func(frame []byte) {
		in.mu.Lock()
		defer in.mu.Unlock()
		in.frames = append(in.frames, bytes.Clone(frame))
	})
	return in
}

func (k *kit) publish(node int, class engine.Class, subject string, frame []byte) {
	k.Helper()
	k.must(k.node(node).Bus().Publish(k.ctx, class, subject, frame), fmt.Sprintf("Publish to %q", subject))
}

// arrives publishes a frame until each inbox has it, since frames may be lost, and other
// nodes may not know of the subscription yet.
func (k *kit) arrives(node int, class engine.Class, subject string, frame []byte, inboxes ...*inbox) {
	k.Helper()
	k.eventually(fmt.Sprintf("arrival of %d bytes at %q", len(frame), subject), func() bool {
		k.publish(node, class, subject, frame)
		for _, in := range inboxes {
			if !in.has(frame) {
				return false
			}
		}
		return true
	})
}

func busReaches(k *kit) {
	if err := k.node(0).Bus().Reachable(); err != nil {
		k.Errorf("Reachable: %v", err)
	}
	for _, class := range classes {
		subject := k.name()
		inboxes := []*inbox{k.inbox(0, class, subject)}
		for i := range k.engines {
			inboxes = append(inboxes, k.inbox(i, class, subject))
		}
		for i := range k.engines {
			k.arrives(i, class, subject, fmt.Appendf(nil, "%v from %d", class, i), inboxes...)
		}
	}
}

func busOrder(k *kit) {
	const frames = 500
	for _, class := range classes {
		subject := k.name()
		in := k.inbox(1, class, subject)
		k.arrives(0, class, subject, []byte("ready"), in)
		for i := range uint32(frames) {
			k.publish(0, class, subject, binary.BigEndian.AppendUint32(nil, i))
		}
		k.arrives(0, class, subject, []byte("done"), in)
		last := -1
		for _, f := range in.all() {
			if string(f) == "ready" || string(f) == "done" {
				continue
			}
			i := int(binary.BigEndian.Uint32(f))
			if i <= last {
				k.Fatalf("class %v: frame %d comes after %d", class, i, last)
			}
			last = i
		}
		if last < 0 {
			k.Errorf("class %v: none of %d frames has arrived", class, frames)
		}
	}
}

func busApart(k *kit) {
	subject := k.name()
	urgent, bulk := k.inbox(0, engine.Urgent, subject), k.inbox(0, engine.Bulk, subject)
	longer := k.inbox(0, engine.Bulk, subject+".more")
	k.arrives(1, engine.Urgent, subject, []byte("urgent"), urgent)
	k.arrives(1, engine.Bulk, subject, []byte("bulk"), bulk)
	k.arrives(1, engine.Bulk, subject+".more", []byte("more"), longer)
	for in, want := range map[*inbox]string{urgent: "urgent", bulk: "bulk", longer: "more"} {
		for _, f := range in.all() {
			if string(f) != want {
				k.Errorf("the inbox of %q has the frame %q", want, f)
			}
		}
	}
}

func busFrames(k *kit) {
	for _, class := range classes {
		subject := k.name()
		in := k.inbox(1, class, subject)
		for _, size := range []int{0, 1, engine.MaxFrame} {
			frame := bytes.Repeat([]byte{byte(size), 0, '\n'}, size/3+1)[:size]
			k.arrives(0, class, subject, frame, in)
		}
		err := k.node(0).Bus().Publish(k.ctx, class, subject, make([]byte, engine.MaxFrame+1))
		k.is(err, engine.ErrFrameTooLong, "Publish of MaxFrame+1 bytes")
	}
}

func busSubjects(k *kit) {
	for _, subject := range badSubjects {
		if subject == "" || len(subject) > engine.MaxKey {
			continue // Length is the engine's own limit, besides the empty one below.
		}
		if err := k.node(0).Bus().Publish(k.ctx, engine.Bulk, subject, nil); err == nil {
			k.Errorf("Publish to %q succeeds", subject)
		}
		if _, err := k.node(0).Bus().Subscribe(engine.Bulk, subject, func([]byte) {}); err == nil {
			k.Errorf("Subscribe to %q succeeds", subject)
		}
	}
	if err := k.node(0).Bus().Publish(k.ctx, engine.Bulk, "", nil); err == nil {
		k.Error("Publish to an empty subject succeeds")
	}
	prefix := k.name() + "."
	for _, subject := range goodSubjects {
		if len(prefix)+len(subject) <= engine.MaxKey {
			subject = prefix + subject
		}
		k.arrives(0, engine.Bulk, subject, []byte(subject), k.inbox(1, engine.Bulk, subject))
	}
}

func busSlow(k *kit) {
	subject := k.name()
	release := make(chan struct{})
	started := make(chan struct{})
	var once sync.Once
	slow := k.subscribe(0, engine.Bulk, subject, func([]byte) {
		once.Do(func() { close(started) })
		<-release
	})
	defer close(release) // Before the Close of the subscription, which waits for deliver.
	other := k.inbox(0, engine.Bulk, subject+".other")
	k.eventually("a frame for the slow subscriber", func() bool {
		k.publish(0, engine.Bulk, subject, make([]byte, 1000))
		select {
		case <-started:
			return true
		default:
			return false
		}
	})
	k.eventually("a frame that is dropped", func() bool {
		for range 5000 {
			k.publish(0, engine.Bulk, subject, make([]byte, 1000))
		}
		return slow.Dropped() > 0
	})
	k.arrives(0, engine.Bulk, subject+".other", []byte("still here"), other)
}

func busClose(k *kit) {
	subject := k.name()
	var mu sync.Mutex
	closed, late, seen := false, false, 0
	sub, err := k.node(0).Bus().Subscribe(engine.Bulk, subject, func([]byte) {
		mu.Lock()
		defer mu.Unlock()
		seen++
		late = late || closed
	})
	k.must(err, "Subscribe")
	k.eventually("a frame", func() bool {
		k.publish(0, engine.Bulk, subject, []byte("x"))
		mu.Lock()
		defer mu.Unlock()
		return seen > 0
	})
	k.must(sub.Close(), "Close")
	mu.Lock()
	closed = true
	mu.Unlock()
	k.must(sub.Close(), "a second Close")
	witness := k.inbox(0, engine.Bulk, subject)
	k.arrives(0, engine.Bulk, subject, []byte("y"), witness)
	mu.Lock()
	defer mu.Unlock()
	if late {
		k.Error("deliver is called after Close has returned")
	}
}

func busCancelled(k *kit) {
	subject := k.name()
	in := k.inbox(0, engine.Bulk, subject)
	err := k.node(0).Bus().Publish(ended(), engine.Bulk, subject, []byte("never"))
	if !errors.Is(err, errCancelled) && !errors.Is(err, context.Canceled) {
		k.Errorf("Publish with a context that has ended: %v", err)
	}
	k.arrives(0, engine.Bulk, subject, []byte("after"), in)
	if in.has([]byte("never")) {
		k.Error("a frame arrives whose Publish had a context that has ended")
	}
}
