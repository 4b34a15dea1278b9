package gid_test

import (
	"bytes"
	"fmt"
	"iter"
	"runtime"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/internal/gid"
)

// header is how the caller's stack dump begins.
func header() []byte {
	var buf [32]byte
	head, _, _ := bytes.Cut(buf[:runtime.Stack(buf[:], false)], []byte("["))
	return head
}

func TestNumberIsThatOfTheDump(t *testing.T) {
	check := func() {
		if want := fmt.Sprintf("goroutine %d ", gid.Number()); string(header()) != want {
			t.Errorf("the dump begins with %q, want %q", header(), want)
		}
	}
	check()
	var all sync.WaitGroup
	for range 100 {
		all.Go(check)
	}
	all.Wait()
	next, stop := iter.Pull(func(yield func(int) bool) {
		check()
		yield(0)
		check()
	})
	defer stop()
	_, _ = next()
	_, _ = next()
}

func BenchmarkNumber(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		gid.Number()
	}
}

func TestNumberOfAnotherGoroutine(t *testing.T) {
	type pair struct {
		id     gid.ID
		number uint64
	}
	said, end := make(chan pair), make(chan struct{})
	for range 10 {
		go func() { said <- pair{gid.Current(), gid.Number()}; <-end }()
	}
	defer close(end)
	for range 10 {
		if p := <-said; p.id.Number() != p.number || p.number == 0 {
			t.Errorf("a goroutine has the number %d, and is said to have %d", p.number, p.id.Number())
		}
	}
	if n := gid.ID(0).Number(); n != 0 {
		t.Errorf("nobody has the number %d", n)
	}
}
