package remote_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/troupe-go/troupe/internal/kernel/standin"
	"github.com/troupe-go/troupe/internal/remote"
	"github.com/troupe-go/troupe/wire"
)

func ownAgreement(tb testing.TB) *wire.Agreement {
	tb.Helper()
	o, err := (&wire.Registry{}).Offer()
	if err != nil {
		tb.Fatal(err)
	}
	a, err := o.Agree(o.Bytes())
	if err != nil {
		tb.Fatal(err)
	}
	return a
}

// FuzzAsk reads what crosses with an ask, and expects that what was read is written as the same.
func FuzzAsk(f *testing.F) {
	a := ownAgreement(f)
	ask := &standin.Ask{Context: context.Background(), To: standin.Address{Node: standin.Node{Name: "a", Birth: 7}, Number: 12}}
	ask.Chain = []standin.Address{ask.To, {Node: standin.Node{Name: "b", Birth: 1}, Number: 1 << 40}}
	whole, err := remote.AppendAsk(nil, a, ask)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add(whole[:len(whole)-1])
	f.Fuzz(func(t *testing.T, data []byte) {
		ask, err := remote.ReadAsk(a, data, 0)
		if err != nil {
			return
		}
		once, err := remote.AppendAsk(nil, a, ask)
		if err != nil {
			t.Fatal(err)
		}
		again, err := remote.ReadAsk(a, once, 0)
		if err != nil {
			t.Fatalf("%q can't be read again: %v", once, err)
		}
		if twice, err := remote.AppendAsk(nil, a, again); err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%q is read and written as %q (%v)", once, twice, err)
		}
	})
}

// FuzzExit reads the end of an actor.
func FuzzExit(f *testing.F) {
	a := ownAgreement(f)
	f.Add(remote.AppendExit(a, "name", context.Canceled))
	f.Add(remote.AppendExit(a, "", nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		name, reason, err := remote.ReadExit(a, data)
		if err != nil {
			return
		}
		again, other, err := remote.ReadExit(a, remote.AppendExit(a, name, reason))
		if err != nil || again != name || (other == nil) != (reason == nil) {
			t.Fatalf("%q, %v came back as %q, %v (%v)", name, reason, again, other, err)
		}
	})
}
