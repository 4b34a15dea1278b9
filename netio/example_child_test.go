package netio_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/netio"
	"github.com/troupe-go/troupe/supervise"
)

// visit asks the counter for the number of a visit.
type visit struct{ number actor.Reply[int] }

// counter counts visits.
type counter struct{ visits int }

func (c *counter) Receive(ctx *actor.Context[visit], v visit) error {
	c.visits++
	return v.number.Send(ctx, c.visits)
}

func (c *counter) Stopped(*actor.Context[visit], error) { fmt.Println("the counter stops") }

// A listener is a child of a supervisor, behind the child that its connections use. It
// is stopped first, when they have been answered.
func ExampleListener_Child() {
	ctx := context.Background()
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	visits := supervise.NewTroupe(func(cast *supervise.Cast, s *struct{ Counter actor.Ref[visit] }) {
		supervise.Play(cast, &s.Counter, supervise.Child[visit]{New: func() actor.Actor[visit] { return &counter{} }})
	})
	door, err := netio.NewListener(netio.ListenerConfig[string, string]{
		Name:  "door",
		Codec: netio.Lines{},
		New: func(conn *netio.Conn[string]) actor.Actor[string] {
			return actor.Func(func(ctx *actor.Context[string], name string) error {
				n, err := actor.Ask(ctx, visits.Members().Counter, func(r actor.Reply[int]) visit { return visit{r} })
				if err != nil {
					return err
				}
				return conn.Send(ctx, fmt.Sprintf("hello %s, you are number %d", name, n))
			})
		},
		OnEnd: func(netio.End) { fmt.Println("the connection ends") },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	sup, err := supervise.Start(sys, supervise.Config{
		Name: "app", Strategy: supervise.RestForOne, Troupe: visits, Children: []supervise.Spec{door.Child()},
	})
	if err != nil {
		fmt.Println(err) // If the address can't be opened, it says so.
		return
	}

	c, err := net.Dial("tcp", door.Addr().String())
	if err != nil {
		fmt.Println(err)
		return
	}
	_, _ = io.WriteString(c, "ann\n")
	line, _ := bufio.NewReader(c).ReadString('\n')
	fmt.Print(line)
	go func() { _, _ = io.Copy(io.Discard, c); _ = c.Close() }() // When the listener ends the connection.
	if err := sup.Stop(ctx); err != nil {
		fmt.Println(err)
	}
	fmt.Println(sys.Stop(ctx))
	// Output:
	// hello ann, you are number 1
	// the connection ends
	// the counter stops
	// <nil>
}
