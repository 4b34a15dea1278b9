package netio_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/netio"
	"github.com/troupe-go/troupe/strand"
)

// A listener counts the lines of each connection.
func ExampleListen() {
	ctx := context.Background()
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	l, err := netio.Listen(ctx, sys, netio.ListenerConfig[string, string]{
		Codec: netio.Lines{},
		New: func(conn *netio.Conn[string]) actor.Actor[string] {
			n := 0 // The actor's own: each connection has one.
			return actor.Func(func(ctx *actor.Context[string], line string) error {
				n++
				return conn.Send(ctx, fmt.Sprintf("%d: %s", n, line))
			})
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}

	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		fmt.Println(err)
		return
	}
	_, _ = io.WriteString(c, "hello\nworld\n")
	lines := bufio.NewScanner(c)
	for i := 0; i < 2 && lines.Scan(); i++ {
		fmt.Println(lines.Text())
	}
	_ = c.Close()

	if err := l.Stop(ctx); err != nil {
		fmt.Println(err)
	}
	if err := sys.Stop(ctx); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 1: hello
	// 2: world
}

type order struct {
	Item  string
	Count int
}

// desk takes orders, and learns when there are no more.
type desk struct {
	order  order
	closed bool
}

// A connection in memory brings JSON to an actor that has other messages as well.
func ExampleAttach() {
	ctx := context.Background()
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	till, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[desk], m desk) error {
		if m.closed {
			fmt.Println("no more orders")
			ctx.Stop() // That closes the connection.
			return nil
		}
		fmt.Println(m.order.Count, m.order.Item)
		return nil
	}))
	if err != nil {
		fmt.Println(err)
		return
	}
	near, far := strand.Pipe()
	if _, err := netio.Attach(ctx, sys, till, near, netio.AttachConfig[desk, string]{
		Codec: netio.Map(netio.JSON[order, string]{}, func(o order) desk { return desk{order: o} }),
		Ended: func(error) desk { return desk{closed: true} },
	}); err != nil {
		fmt.Println(err)
		return
	}
	_, _ = far.Write(ctx, []byte(`{"Item": "pears", "Count": 3} {"Item": "plums", "Count": 12}`))
	_ = far.Close()
	<-till.Done()
	if err := sys.Stop(ctx); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 3 pears
	// 12 plums
	// no more orders
}

func ExampleFrames() {
	c := netio.Frames{Prefix: netio.Uint16}
	data, err := c.Append(nil, []byte("hello"))
	fmt.Printf("%q %v\n", data, err)

	d, err := c.NewDecoder()
	if err != nil {
		fmt.Println(err)
		return
	}
	_, _, complete, err := d.Decode(data[:4], false)
	fmt.Println(complete, err)
	n, frame, complete, err := d.Decode(data, false)
	fmt.Printf("%d %s %v %v\n", n, frame, complete, err)
	// Output:
	// "\x00\x05hello" <nil>
	// false <nil>
	// 7 hello true <nil>
}
