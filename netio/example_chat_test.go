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

// post is what an actor of a connection takes: a line of its peer, or of the room.
type post struct {
	text string
	said bool // By the peer.
}

// entry is what the room takes: a new member, or what one has said.
type entry struct {
	member actor.Ref[post]
	text   string
}

// member is the actor of a connection.
type member struct {
	conn *netio.Conn[string]
	room actor.Ref[entry]
}

// Started joins the room.
func (m *member) Started(ctx *actor.Context[post]) error {
	return m.room.Send(ctx, entry{member: ctx.Self()})
}

// Receive takes lines in either direction. Who waits for a peer is its own actor.
func (m *member) Receive(ctx *actor.Context[post], p post) error {
	if p.said {
		return m.room.Send(ctx, entry{text: p.text})
	}
	return m.conn.Send(ctx, p.text)
}

// room tells all members what one has said. It must not wait for any of them: those
// that don't keep up miss something, and those that have ended are forgotten.
type room map[actor.Ref[post]]bool

func (r room) Receive(ctx *actor.Context[entry], e entry) error {
	text, joins := e.text, e.member != actor.Ref[post]{}
	if joins {
		r[e.member], text = true, "somebody came"
	}
	for m := range r {
		if err := m.TrySend(ctx, post{text: text}); err != nil && !errors.Is(err, actor.ErrFull) {
			delete(r, m)
		}
	}
	return nil
}

// A chat: an actor for each connection, and one for the room, which waits for nobody.
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
	l, err := netio.Listen(ctx, sys, netio.ListenerConfig[post, string]{
		Codec: netio.Map(netio.Codec[string, string](netio.Lines{}), func(line string) post { return post{line, true} }),
		New:   func(conn *netio.Conn[string]) actor.Actor[post] { return &member{conn, hall} },
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
