package actor

import (
	"context"
	"runtime"
	"sync/atomic"
	"unsafe"
	"weak"
)

// gate opens a channel, by closing it, when an incarnation has ended, unless
// nobody can be waiting at it any more. The incarnation does not keep it alive:
// a waiter holds nothing but the channel, so there is a weak pointer
// to that very channel, whose value is a pointer, and no list grows with the
// messages that were handled.
//
// A watcher goroutine for each channel would have to live as long as the
// incarnation, and an entry for each in the incarnation's context is 250 bytes
// that nobody would take out.
type gate struct {
	channel weak.Pointer[byte]
	opened  atomic.Bool
}

func newGate(c chan struct{}) *gate { return &gate{channel: weak.Make(*(**byte)(unsafe.Pointer(&c)))} }

// open closes the channel, once.
func (g *gate) open(c chan struct{}) {
	if g.opened.CompareAndSwap(false, true) {
		close(c)
	}
}

// watch has the view end with its home, and the gate open also if nothing is
// left of the view but the channel.
func (g *gate) watch(v *view) {
	seen, home := weak.Make(v), v.home.alive().ctx
	stop := context.AfterFunc(home, func() {
		if v := seen.Value(); v != nil {
			v.endWith(home)
			return
		}
		if p := g.channel.Value(); p != nil {
			g.open(*(*chan struct{})(unsafe.Pointer(&p)))
		}
	})
	// The view holds the channel, so both are gone then.
	runtime.AddCleanup(*(**byte)(unsafe.Pointer(&v.done)), func(stop func() bool) { stop() }, stop)
}
