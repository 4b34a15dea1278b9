package netio_test

import (
	"bufio"
	"context"
	"fmt"
	"net"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/netio"
)

// A listener that shuts down takes no new connections, and serves on the one that is open
// until that has ended.
func ExampleListener_Shutdown() {
	ctx := context.Background()
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	l, err := netio.Listen(ctx, sys, netio.ListenerConfig[string, string]{
		Codec: netio.Lines{},
		New: func(conn *netio.Conn[string]) actor.Actor[string] {
			return actor.Func(func(ctx *actor.Context[string], line string) error { return conn.Send(ctx, "echo "+line) })
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	peer, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		fmt.Println(err)
		return
	}
	lines := bufio.NewScanner(peer)
	say := func(line string) {
		if _, err := fmt.Fprintln(peer, line); err == nil && lines.Scan() {
			fmt.Println(lines.Text())
		}
	}
	say("one") // The connection was accepted.

	done := make(chan error)
	go func() { done <- l.Shutdown(ctx) }()
	say("two")
	fmt.Println(peer.Close(), <-done, sys.Stop(ctx))
	// Output:
	// echo one
	// echo two
	// <nil> <nil> <nil>
}
