package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/cmd/troupe/internal/demo"
	"github.com/troupe-go/troupe/inspect"
)

// tokenVariable is where the token is looked for that isn't on the command line, which others can read.
const tokenVariable = "TROUPE_TOKEN"

// livePage shows a demo's system in the browser.
type livePage struct {
	addr, token string
	linger      bool

	sys       *actor.System
	inspector *inspect.Inspector
	server    *inspect.Server
}

// attach has the page opened when the demo's system starts. Without an address there is none.
func (p *livePage) attach(c *demo.Config, stderr io.Writer) {
	if p.addr == "" {
		return
	}
	c.Keep = true
	c.Started = func(sys *actor.System) error {
		p.sys = sys
		if err := p.open(); err != nil {
			return err
		}
		fmt.Fprintf(stderr, "troupe: live page at %s\n", p.server.URL()) //nolint:errcheck // As with progress.
		return nil
	}
}

func (p *livePage) open() (err error) {
	if p.inspector, err = inspect.New(p.sys, inspect.Config{}); err != nil {
		return err
	}
	p.server, err = p.inspector.Listen(p.addr, inspect.WebConfig{
		Name: "troupe demo", Token: cmp.Or(p.token, os.Getenv(tokenVariable)),
	})
	return err
}

// stay waits for the interrupt if it is to.
func (p *livePage) stay(ctx context.Context, stderr io.Writer) {
	if !p.linger || p.server == nil {
		return
	}
	fmt.Fprintf(stderr, "troupe: the live page stays at %s until you interrupt\n", p.server.URL()) //nolint:errcheck // As above.
	<-ctx.Done()
}

func (p *livePage) close() {
	if p.server != nil {
		_ = p.server.Close()
	}
	if p.inspector != nil {
		p.inspector.Close()
	}
	if p.sys != nil {
		ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
		defer cancel()
		_ = p.sys.Stop(ctx)
	}
}
