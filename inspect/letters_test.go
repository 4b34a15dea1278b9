package inspect_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect"
)

type secret struct{ pin int }

type shown struct{ n int }

func (s shown) Inspect() string {
	if s.n < 0 {
		panic("oops")
	}
	return strings.Repeat("a", s.n)
}

func TestDeadLetters(t *testing.T) {
	ctx := guarded(t)
	sys := newSystem(t, actor.Config{})
	cfg := quiet
	cfg.Letters = 3
	i := newInspector(t, sys, cfg)
	s := i.Subscribe(inspect.Subscription{})
	ref := spawn(t, sys, actor.Func(func(*actor.Context[any], any) error { return nil }), actor.WithName("gone"))
	wantNoErr(t, ref.Stop(ctx))
	for _, m := range []any{1, secret{4711}, shown{1000}, shown{-1}} {
		wantErr(t, ref.Send(ctx, m), actor.ErrStopped)
	}
	letters := i.DeadLetters()
	if len(letters) != 3 || strings.Contains(fmt.Sprint(letters), "4711") {
		t.Fatalf("the letters are %+v", letters)
	}
	l := letters[0]
	if l.Message != "inspect_test.secret" || l.Content != "" || l.To != ref.PID() || l.Name != "gone" || l.Lane != "data" || l.Error == "" {
		t.Errorf("the first letter is %+v", l)
	}
	if len(letters[1].Content) != 500 || !strings.Contains(letters[2].Content, "oops") {
		t.Errorf("the letters that are shown are %+v", letters[1:])
	}
	if e := next(t, ctx, s); e.Kind != inspect.DeadLetters || e.Count != 1 {
		t.Errorf("the event is %+v", e)
	}
}
