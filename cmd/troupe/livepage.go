package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/cmd/troupe/internal/demo"
	"github.com/troupe-go/troupe/cmd/troupe/internal/shop"
	"github.com/troupe-go/troupe/inspect"
)

// tokenVariable is where the token is looked for that isn't on the command line, which others can read.
const tokenVariable = "TROUPE_TOKEN"

// livePage shows a demo's system in the browser, and records it.
type livePage struct {
	addr, token string
	linger      bool
	record      string // The file for the recording, or "".
	seed        uint64 // For the shop.

	sys       *actor.System
	inspector *inspect.Inspector
	recorder  *inspect.Recorder
	file      *os.File
	server    *inspect.Server
}

// attach has the page opened when the demo's system starts. Without an address there is none. The file for the
// recording is made at once, so that the work is not done in vain.
func (p *livePage) attach(c *demo.Config, stderr io.Writer) (err error) {
	if p.record != "" {
		if p.file, err = os.Create(p.record); err != nil {
			return usageError{fmt.Errorf("--record: %w", err)}
		}
	}
	if p.addr == "" && p.record == "" {
		return nil
	}
	c.Keep = true
	c.Started = func(sys *actor.System) error {
		p.sys = sys
		if err := p.open(); err != nil {
			return err
		}
		if p.server != nil {
			until := "the work is done, since there is --linger=false"
			if p.linger {
				until = "you interrupt"
			}
			fmt.Fprintf(stderr, "troupe: live page at %s until %s\n", p.server.URL(), until) //nolint:errcheck // As with progress.
		}
		return nil
	}
	return nil
}

func (p *livePage) open() (err error) {
	if p.inspector, err = inspect.New(p.sys, inspect.Config{}); err != nil {
		return err
	}
	if p.file != nil {
		if p.recorder, err = p.inspector.Record(inspect.RecordConfig{}); err != nil {
			return err
		}
	}
	if p.addr == "" {
		return nil
	}
	p.server, err = p.inspector.Listen(p.addr, inspect.WebConfig{
		Name: "troupe demo", Token: cmp.Or(p.token, os.Getenv(tokenVariable)),
	})
	return err
}

// save writes the recording. Its last events come from the queries that follow the work.
func (p *livePage) save(stderr io.Writer) error {
	if p.recorder == nil {
		return nil
	}
	rec := p.recorder.Snapshot()
	rec.Name = "troupe demo"
	if err := errors.Join(rec.Write(p.file), p.file.Close()); err != nil {
		return fmt.Errorf("writing the recording: %w", err)
	}
	fmt.Fprintf(stderr, "troupe: the last %d events of the workers are in %s; open it in the live page, or in ui.perfetto.dev\n", len(rec.Events), p.record) //nolint:errcheck // As above.
	return nil
}

// stay has a shop go on in the demo's system until the interrupt, so that the page has something to show. It is recorded: the work was not, since
// that takes time.
func (p *livePage) stay(ctx context.Context, stderr io.Writer) error {
	if !p.linger || p.server == nil {
		return nil
	}
	if p.recorder == nil {
		if _, err := p.inspector.Record(inspect.RecordConfig{}); err != nil {
			return err
		}
	}
	s, err := shop.Open(ctx, p.sys, shop.Config{Seed: p.seed})
	if ctx.Err() != nil {
		return nil // The interrupt came while it was opened.
	}
	if err != nil {
		return err
	}
	defer s.Close()
	fmt.Fprintf(stderr, "troupe: the work is done; a shop in trouble stays at %s until you interrupt\n", p.server.URL()) //nolint:errcheck // As above.
	<-ctx.Done()
	return nil
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
