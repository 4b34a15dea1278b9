// Command chat is a chat server, over TCP and in lines of text: each connection is an
// actor, and so is the room. A client that does not read what is said has to leave.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/netio"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	addr := "127.0.0.1:0"
	if len(os.Args) > 1 {
		addr = os.Args[1]
	}
	if err := serve(ctx, addr); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(ctx context.Context, addr string) error {
	sys, err := actor.NewSystem(actor.Config{Name: "chat"})
	if err != nil {
		return err
	}
	room, err := actor.Spawn(sys, actor.Actor[said](&room{ears: map[actor.PID]actor.Ref[string]{}}))
	if err != nil {
		return err
	}
	l, err := netio.Listen(ctx, sys, netio.ListenerConfig[string, string]{
		Addr:  addr,
		Codec: netio.Lines{MaxSize: 1000},
		New: func(conn *netio.Conn[string]) actor.Actor[string] {
			return &member{conn: conn, room: room, name: conn.RemoteAddr().String()}
		},
		Timeouts: netio.Timeouts{Idle: -1, Write: 10 * time.Second},
	})
	if err != nil {
		return err
	}
	fmt.Println("listening on", l.Addr())
	<-ctx.Done()
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return errors.Join(l.Stop(limit), sys.Stop(limit))
}

// member is one connection, and takes what its peer types. Its ear, another actor, writes what
// others say: a member that waits for the room must not keep the room waiting.
type member struct {
	conn *netio.Conn[string]
	room actor.Ref[said]
	ear  actor.Ref[string]
	name string
}

func (m *member) Started(ctx *actor.Context[string]) (err error) {
	m.ear, err = actor.Spawn(ctx, actor.Func(func(ctx *actor.Context[string], heard string) error {
		return m.conn.Send(ctx, heard)
	}))
	if err != nil {
		return err
	}
	if err := ctx.Link(m.ear.PID()); err != nil {
		return err
	}
	return m.room.Send(ctx, said{by: m.ear, line: m.name + " is here"})
}

func (m *member) Receive(ctx *actor.Context[string], typed string) error {
	return m.room.Send(ctx, said{by: m.ear, line: m.name + ": " + typed})
}

// said is a line for all; the first one of a member makes it one.
type said struct {
	by   actor.Ref[string]
	line string
}

// room passes on what is said to all members but the one that has said it.
type room struct {
	ears map[actor.PID]actor.Ref[string]
}

func (r *room) Receive(ctx *actor.Context[said], s said) error {
	if _, known := r.ears[s.by.PID()]; !known {
		if err := s.by.TrySend(ctx, fmt.Sprintf("others here: %d", len(r.ears))); err != nil {
			return nil //nolint:nilerr // It has gone already.
		}
		r.ears[s.by.PID()] = s.by
		if _, err := ctx.Monitor(s.by.PID()); err != nil {
			return err
		}
	}
	r.tell(ctx, s.by.PID(), s.line)
	return nil
}

func (r *room) Down(ctx *actor.Context[said], _ actor.Monitor, e actor.Exit) error {
	delete(r.ears, e.PID)
	r.tell(ctx, e.PID, "somebody has left")
	return nil
}

// patience is how long the room waits for a member that is a thousand lines behind.
const patience = time.Second

// tell waits for members that are behind: so a flood of lines comes no faster than they
// read. One that reads nothing for so long leaves.
func (r *room) tell(ctx *actor.Context[said], by actor.PID, line string) {
	for id, ear := range r.ears {
		if id == by || !errors.Is(ear.TrySend(ctx, line), actor.ErrFull) {
			continue
		}
		limit, cancel := context.WithTimeout(ctx, patience)
		if err := ear.Send(limit, line); errors.Is(err, context.DeadlineExceeded) {
			_ = ear.Kill() // Its connection ends with it, and the others are told.
			delete(r.ears, id)
		}
		cancel()
	}
}
