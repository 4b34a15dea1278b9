// Command echo sends back the lines that it is sent, over TCP. Each connection is
// a strand: sequential code that waits without holding a thread.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/strand"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := strand.Run(ctx, sched.Config{}, serve); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(s *strand.Strand) error {
	l, err := strand.Listen(s, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer l.Close() //nolint:errcheck // Nothing is left in it.
	fmt.Println("listening on", l.Addr())
	for {
		c, err := l.Accept(s)
		if err != nil {
			return err
		}
		if _, err := strand.Go(s, func(s *strand.Strand) error { return echo(s, c) }); err != nil {
			return err
		}
	}
}

func echo(s *strand.Strand, c *strand.Conn) error {
	defer c.Close() //nolint:errcheck // The peer has gone.
	for {
		if err := echoLine(s, c); err != nil {
			return err
		}
	}
}

// echoLine lets a peer go that takes longer than a minute to send a line and to read it.
func echoLine(s *strand.Strand, c *strand.Conn) error {
	ctx, cancel := context.WithTimeout(s, time.Minute)
	defer cancel()
	line, err := c.ReadLine(ctx)
	if err != nil {
		return err
	}
	return c.WriteLine(ctx, line)
}
