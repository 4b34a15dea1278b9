// Command chat is a chat server, over TCP and in lines of text: each connection is an
// actor, and so is the room. Whoever does not read what is said leaves.
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
	room, err := actor.Spawn(sys, actor.Actor[said](&room{members: map[actor.PID]actor.Ref[event]{}}))
	if err != nil {
		return err
	}
	l, err := netio.Listen(ctx, sys, netio.ListenerConfig[event, string]{
		Addr:  addr,
		Codec: netio.Map(netio.Lines{MaxSize: 1000}, func(line string) event { return event{typed: line} }),
		New: func(conn *netio.Conn[string]) actor.Actor[event] {
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

// event is what a member takes: a line of its peer's, or one that the room passes on.
type event struct{ typed, heard string }

// member is one connection.
type member struct {
	conn *netio.Conn[string]
	room actor.Ref[said]
	name string
}

func (m *member) Started(ctx *actor.Context[event]) error {
	return m.room.Send(ctx, said{by: ctx.Self(), line: m.name + " is here"})
}

func (m *member) Receive(ctx *actor.Context[event], e event) error {
	if e.heard != "" {
		return m.conn.Send(ctx, e.heard)
	}
	return m.room.Send(ctx, said{by: ctx.Self(), line: m.name + ": " + e.typed})
}

// said is a line for all; the first one of a member makes it one.
type said struct {
	by   actor.Ref[event]
	line string
}

// room passes on what is said to all members but the one who has said it.
type room struct {
	members map[actor.PID]actor.Ref[event]
}

func (r *room) Receive(ctx *actor.Context[said], s said) error {
	if _, known := r.members[s.by.PID()]; !known {
		if err := s.by.TrySend(ctx, event{heard: fmt.Sprintf("others here: %d", len(r.members))}); err != nil {
			return nil //nolint:nilerr // It has gone already.
		}
		r.members[s.by.PID()] = s.by
		if _, err := ctx.Monitor(s.by.PID()); err != nil {
			return err
		}
	}
	r.tell(ctx, s.by.PID(), s.line)
	return nil
}

func (r *room) Down(ctx *actor.Context[said], _ actor.Monitor, e actor.Exit) error {
	delete(r.members, e.PID)
	r.tell(ctx, e.PID, "somebody has left")
	return nil
}

func (r *room) tell(ctx *actor.Context[said], by actor.PID, line string) {
	for id, m := range r.members {
		if id == by {
			continue
		}
		// Nobody waits for one who does not read.
		if err := m.TrySend(ctx, event{heard: line}); errors.Is(err, actor.ErrFull) {
			_ = m.Kill() // Its connection ends with it, and the others are told.
		}
	}
}
