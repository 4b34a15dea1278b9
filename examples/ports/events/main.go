// Command events is Watermill's example basic/3-router, rewritten: what comes on one topic is changed by a handler and goes
// on to another one; all that passes is printed; a handler that fails, or panics, gets its message again up to three times.
//
//	go run ./examples/ports/events
//	incoming 1: Hello, world! (correlation c1)
//	outgoing 1: Hello, world! was seen (correlation c1)
//	...
//
// With Watermill a message is bytes with metadata, and a topic is a name: a handler that decodes the wrong type, or a name with a
// typing error, is found when the program runs. Here a topic has a type, and the compiler knows it. The retries, the recovery
// from panics and the correlation are middleware there. Here a panic ends an incarnation of the handler, its supervisor begins
// the next one 100 ms later, and Retry has it handle the message again; the correlation is a field. A slow printer slows
// down the publisher, in both; here the page names it. Watermill's topics may also lie in Kafka, AMQP or a database. The topics of this
// program end with the process.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/stream"
	"github.com/troupe-go/troupe/supervise"
)

// event is what topics carry.
type event struct {
	number      int
	correlation string
	text        string
}

// handler changes what comes, and publishes what becomes of it.
type handler struct {
	outgoing *stream.Live[event]
	fault    func(event) // It may panic.
}

// Receive handles one event.
func (h *handler) Receive(ctx *actor.Context[event], e event) error {
	h.fault(e)
	e.text += " was seen"
	return h.outgoing.Publish(ctx, e)
}

// line is an event with the name of its topic.
type line struct {
	topic string
	event
}

// printer prints what passes on both topics, one line at a time.
type printer struct {
	to   io.Writer
	left int           // Lines.
	done chan struct{} // Closed after the last.
}

// Receive prints one line.
func (p *printer) Receive(_ *actor.Context[line], l line) error {
	_, err := fmt.Fprintf(p.to, "%s %d: %s (correlation %s)\n", l.topic, l.number, l.text, l.correlation)
	if p.left--; p.left == 0 {
		close(p.done)
	}
	return err
}

func main() {
	events := flag.Int("events", 3, "how many events there are")
	every := flag.Duration("every", time.Second, "the time between them")
	flag.Parse()
	if *events < 1 {
		fmt.Fprintf(os.Stderr, "-events is %d, and must be at least 1\n", *events)
		os.Exit(2)
	}
	if err := run(context.Background(), os.Stdout, *events, *every, func(event) {}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// crew has the refs of the actors.
type crew struct {
	handler actor.Ref[event]
	printer actor.Ref[line]
}

// run publishes a number of events, and returns when all have been handled and printed.
func run(ctx context.Context, out io.Writer, events int, every time.Duration, fault func(event)) (err error) {
	sys, err := actor.NewSystem(actor.Config{Name: "events"})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sys.Stop(ctx)) }()
	incoming, err := stream.NewLive[event](sys, stream.LiveConfig{Name: "incoming"})
	if err != nil {
		return err
	}
	outgoing, err := stream.NewLive[event](sys, stream.LiveConfig{Name: "outgoing"})
	if err != nil {
		return err
	}
	printed := make(chan struct{})
	c, _, err := supervise.StartTroupe(sys, supervise.Config{Name: "router", Intensity: 100}, func(cast *supervise.Cast, c *crew) {
		supervise.Play(cast, &c.printer, supervise.Child[line]{Name: "printer", New: func() actor.Actor[line] { return &printer{out, 2 * events, printed} }})
		supervise.Play(cast, &c.handler, supervise.Child[event]{
			Name: "handler", New: func() actor.Actor[event] { return &handler{outgoing, fault} },
			Retry: 3, Backoff: supervise.Backoff{Min: 100 * time.Millisecond},
		})
	})
	if err != nil {
		return err
	}
	if err := c.connect(ctx, incoming, outgoing); err != nil {
		return err
	}
	for n := 1; n <= events; n++ {
		if n > 1 {
			<-time.After(every)
		}
		if err := incoming.Publish(ctx, event{number: n, correlation: fmt.Sprint("c", n), text: "Hello, world!"}); err != nil {
			return err
		}
	}
	select {
	case <-printed:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// connect subscribes the actors to the topics.
func (c *crew) connect(ctx context.Context, incoming, outgoing *stream.Live[event]) error {
	for name, topic := range map[string]*stream.Live[event]{"incoming": incoming, "outgoing": outgoing} {
		_, err := stream.Subscribe(ctx, topic, stream.Subscriber[event, line]{
			To: c.printer, Wrap: func(e event) line { return line{name, e} },
		})
		if err != nil {
			return err
		}
	}
	_, err := incoming.Subscribe(ctx, c.handler)
	return err
}
