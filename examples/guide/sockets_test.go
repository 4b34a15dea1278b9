package guide_test

import (
	"bufio"
	"context"
	"fmt"
	"log"
	"net"
	"strings"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/netio"
	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/strand"
)

// Each connection is an actor, and its messages are lines.
func Example_sockets() {
	ctx := context.Background()
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		log.Fatal(err)
	}
	//guide:begin listen
	l, err := netio.Listen(ctx, sys, netio.ListenerConfig[string, string]{
		Addr:  "127.0.0.1:0",
		Codec: netio.Lines{MaxSize: 200},
		New: func(conn *netio.Conn[string]) actor.Actor[string] {
			return actor.Func(func(ctx *actor.Context[string], line string) error {
				symbol, found := strings.CutPrefix(line, "price ")
				if !found {
					return conn.Send(ctx, "error: say price SYMBOL")
				}
				return conn.Send(ctx, symbol+" 100")
			})
		},
	})
	//guide:end listen
	if err != nil {
		log.Fatal(err)
	}
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Fprintln(client, "price ACME") //nolint:errcheck // The answer says whether it has come.
	fmt.Fprintln(client, "hello")      //nolint:errcheck // The same.
	answers := bufio.NewScanner(client)
	for range 2 {
		fmt.Println(answers.Scan(), answers.Text())
	}
	_ = client.Close()
	fmt.Println(l.Stop(ctx), sys.Stop(ctx))
	// Output:
	// true ACME 100
	// true error: say price SYMBOL
	// <nil> <nil>
}

// One strand makes prices, the other takes them.
func Example_strands() {
	//guide:begin strands
	err := strand.Run(context.Background(), sched.Config{}, func(s *strand.Strand) error {
		prices := strand.NewChan[int](0)
		if _, err := strand.Go(s, func(s *strand.Strand) error {
			defer func() { _ = prices.Close(s) }()
			for _, p := range []int{101, 99, 102} {
				if err := prices.Send(s, p); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
		for p := range prices.All(s) {
			fmt.Println(p)
		}
		return nil
	})
	//guide:end strands
	fmt.Println(err)
	// Output:
	// 101
	// 99
	// 102
	// <nil>
}
