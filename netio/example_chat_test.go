package netio_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/netio"
)

// entry is what the room takes: a new member, or what one has said.
type entry struct {
	ear  actor.Ref[string]
	text string
}

// member is the actor of a connection: it takes the lines of its peer. The ear, an actor below
// it, writes what the room says, and takes nothing else.
type member struct {
	conn *netio.Conn[string]
	room actor.Ref[entry]
}

// Started joins the room.
func (m *member) Started(ctx *actor.Context[string]) error {
	ear, err := actor.Spawn(ctx, actor.Func(func(ctx *actor.Context[string], text string) error {
		return m.conn.Send(ctx, text)
	}))
	if err != nil {
		return err
	}
	return m.room.Send(ctx, entry{ear: ear})
}

// Receive passes on a line.
func (m *member) Receive(ctx *actor.Context[string], line string) error {
	return m.room.Send(ctx, entry{text: line})
}

// room tells all members what one has said. It does not wait for any of them: those
// that don't read miss something, and those that have ended are forgotten.
type room map[actor.Ref[string]]bool

func (r room) Receive(ctx *actor.Context[entry], e entry) error {
	text, joins := e.text, e.ear != actor.Ref[string]{}
	if joins {
		r[e.ear], text = true, "somebody came"
	}
	for ear := range r {
		if err := ear.TrySend(ctx, text); err != nil && !errors.Is(err, actor.ErrFull) {
			delete(r, ear)
		}
	}
	return nil
}

// A chat: two actors for each connection, and one for the room, which waits for nobody.
func ExampleListen_chat() {
	ctx := context.Background()
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	hall, err := actor.Spawn(sys, actor.Actor[entry](room{}))
	if err != nil {
		fmt.Println(err)
		return
	}
	l, err := netio.Listen(ctx, sys, netio.ListenerConfig[string, string]{
		Codec: netio.Lines{},
		New:   func(conn *netio.Conn[string]) actor.Actor[string] { return &member{conn, hall} },
	})
	if err != nil {
		fmt.Println(err)
		return
	}

	ann, hears := enter(l.Addr())
	fmt.Println("ann reads:", hears()) // Of herself.
	bob, _ := enter(l.Addr())
	fmt.Println("ann reads:", hears())
	_, _ = io.WriteString(bob, "hello, all\n")
	fmt.Println("ann reads:", hears())
	_, _ = ann.Close(), bob.Close()
	if err := errors.Join(l.Stop(ctx), sys.Stop(ctx)); err != nil {
		fmt.Println(err)
	}
	// Output:
	// ann reads: somebody came
	// ann reads: somebody came
	// ann reads: hello, all
}

// enter connects, and returns what reads the next line.
func enter(at net.Addr) (c net.Conn, hears func() string) {
	c, err := net.Dial("tcp", at.String())
	if err != nil {
		panic(err)
	}
	lines := bufio.NewScanner(c)
	return c, func() string { lines.Scan(); return lines.Text() }
}
