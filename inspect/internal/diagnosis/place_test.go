package diagnosis_test

import (
	"testing"

	"github.com/troupe-go/troupe/inspect/internal/diagnosis"
)

func TestPlace(t *testing.T) {
	for name, c := range map[string]struct{ stack, where, does string }{
		"a channel, below the standard library and this module": {
			`goroutine 22 [chan receive, 21 minutes]:
sync.(*Cond).Wait(0x1)
	/usr/lib/go/src/sync/cond.go:71 +0x85
github.com/troupe-go/troupe/task.Sleep({0x1, 0x2}, 0x3)
	/src/troupe/task/sleep.go:30 +0x1
main.(*payments).charge(...)
	/src/shop/stuck.go:31
main.(*payments).Receive(0xc0, 0x1, {0x1})
	/src/shop/stuck.go:26 +0x6c
`, "payments.charge (stuck.go:31)", "it receives from a channel",
		},
		"a lock, in a library": {
			"goroutine 3 [sync.Mutex.Lock]:\ninternal/sync.(*Mutex).lockSlow(0x1)\n\t/go/src/internal/sync/mutex.go:149 +0x15d\ngithub.com/acme/db/v2.(*Pool).Get(0x1)\n\t/src/db/pool.go:9 +0x2\n",
			"Pool.Get (pool.go:9)", "it waits for a lock",
		},
		"a function of a package": {
			"goroutine 3 [running]:\nexample.com/shop/tax.Rate[...](0x1)\n\t/src/tax/rate.go:9 +0x2\n",
			"tax.Rate (rate.go:9)", "it computes",
		},
		"an example of this module": {
			"goroutine 3 [sleep]:\ngithub.com/troupe-go/troupe/examples/chat.(*room).Receive(0x1)\n\t/src/chat/room.go:9 +0x2\n",
			"room.Receive (room.go:9)", "it sleeps",
		},
		"a function without a name": {
			"goroutine 3 [select]:\nmain.main.func1(0x1)\n\t/src/main.go:9 +0x2\n",
			"main.func1 (main.go:9)", "it waits in a select",
		},
		"a panic": {
			"goroutine 9 [running]:\nruntime/debug.Stack()\n\t/go/src/runtime/debug/stack.go:26 +0x5e\npanic({0x1, 0x2})\n\t/go/src/runtime/panic.go:792 +0x132\nmain.(*importer).parse(...)\n\t/src/panics.go:29\n",
			"importer.parse (panics.go:29)", "it computes",
		},
		"nothing of the program": {
			"goroutine 1 [IO wait]:\ninternal/poll.runtime_pollWait(0x1)\n\t/go/src/runtime/netpoll.go:351 +0x85\ncreated by main.main in goroutine 1\n\t/src/main.go:3 +0x1\n",
			"", "it waits for input or output",
		},
		"no stack":                   {"", "", ""},
		"a line of one that was cut": {"goroutine 7: its stack is not known, since those of all goroutines are longer than 256 MB", "", ""},
	} {
		if where, does := diagnosis.Place(c.stack); where != c.where || does != c.does {
			t.Errorf("%s: it is in %q, and %q; want %q, and %q", name, where, does, c.where, c.does)
		}
	}
}

func TestWords(t *testing.T) {
	for got, want := range map[string]string{
		diagnosis.Number(7): "7", diagnosis.Number(131000): "131,000", diagnosis.Number(1234567): "1,234,567", diagnosis.Span(4400e6): "4.4s", diagnosis.Span(59e9): "59s",
		diagnosis.Span(21 * 60e9): "21m", diagnosis.Span(192 * 60e9): "3h12m", diagnosis.Some(1, "sender"): "1 sender", diagnosis.Some(0, "sender"): "0 senders",
		diagnosis.Join([]string{"a", "b", "c"}): "a, b and c", diagnosis.ShortKind("example.com/shop/main.cart"): "main.cart",
		diagnosis.FirstLine("one\ntwo"): "one",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
