package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe/cmd/troupe/internal/top"
	"github.com/troupe-go/troupe/inspect"
)

const topHelp = `Top shows the actors of a running program, by the address of its live page: that of troupe demo --http,
or of a program that calls Inspector.Listen or serves Inspector.Handler. In a terminal it is a live
view with these keys:

  ↑ ↓ enter  choose an actor, open it     a t  all actors as a list, as a tree
  s S        sort by the next column      w    workers, and what holds them
  /          filter by the name           g    the graph of who waits for whom
  → ←        turn the pages of a list     e    events
  J f        jobs, those of the next type T N  timers, names
  p          pause                        esc  back,  ? help,  q quit

Where standard output or input is no terminal, TERM is dumb, or with --once, one report is written
instead; --limit is about that.

Exit status:
  0    ended by the key q, or the report is written
  1    nothing answers there, or what does is no live page, or wants another token
  2    the command line is wrong
  130  interrupted by Ctrl-C, SIGINT or SIGTERM`

const topExample = `  troupe top --addr :8080                  the live view, with the longest mailboxes
  troupe top --addr :8080 --sort slow      with the slowest handlers
  troupe top --addr :8080 --tree | cat     all, below those that they belong to, once
  troupe top --addr :8080 --view strands   what is under way for longest
  troupe top --addr :8080 --json | jq .    the actors as JSON`

type topFlags struct {
	addr, token, sort, name string
	view                    string
	limit                   int
	every                   time.Duration
	tree, json, once        bool
}

func newTop() *cobra.Command {
	f := &topFlags{}
	cmd := &cobra.Command{
		Use:     "top",
		Short:   "Show the actors of a running program",
		Long:    topHelp,
		Example: topExample,
		Args:    atMost(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.run(cmd)
		},
	}
	set := cmd.Flags()
	set.SortFlags = false
	set.StringVar(&f.addr, "addr", "127.0.0.1:8080", "`address` of the live page")
	set.StringVar(&f.token, "token", "", "`secret` that the page wants (default $TROUPE_TOKEN)")
	set.StringVar(&f.sort, "sort", "mailbox", "`order` of actors: mailbox, slow, handled, restarts, uptime or pid")
	set.StringVar(&f.name, "name", "", "what names `begin` with")
	set.IntVar(&f.limit, "limit", 20, "`number` of actors, or of other rows")
	set.DurationVar(&f.every, "every", time.Second, "`time` between two looks of the live view")
	set.BoolVar(&f.once, "once", false, "one report, no live view")
	set.StringVar(&f.view, "view", "actors", "`what` is shown: actors, findings, tree, workers, waits, events, jobs, strands, timers or names")
	set.BoolVar(&f.tree, "tree", false, "the same as --view tree")
	set.BoolVar(&f.json, "json", false, "as JSON")
	return cmd
}

func (f *topFlags) run(cmd *cobra.Command) error {
	ctx, stdin, stdout := cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout()
	if f.every < top.MinEvery {
		return usageError{fmt.Errorf("--every must be at least %v, not %v", top.MinEvery, f.every)}
	}
	if f.limit < 1 {
		return usageError{fmt.Errorf("--limit must be at least 1, not %d", f.limit)}
	}
	view := top.View(f.view)
	if !slices.Contains(top.Views, view) {
		return usageError{fmt.Errorf("--view must be one of %q, not %.40q", top.Views, f.view)}
	}
	if f.tree {
		if cmd.Flags().Changed("view") && view != top.TreeView {
			return usageError{fmt.Errorf("--tree is --view tree; leave it out for --view %s", view)}
		}
		view = top.TreeView
	}
	if cmd.Flags().Changed("name") && slices.Contains([]top.View{top.WorkersView, top.WaitsView, top.EventsView, top.FindingsView}, view) {
		return usageError{fmt.Errorf("--name is about names; leave it out for --view %s", view)}
	}
	if !slices.Contains(top.Orders, inspect.Order(f.sort)) {
		return usageError{fmt.Errorf("--sort must be one of %q, not %.40q", top.Orders, f.sort)}
	}
	live := !f.json && !f.once && isScreen(stdin) && isScreen(stdout) && os.Getenv("TERM") != "dumb"
	if !live && view != top.ActorsView && cmd.Flags().Changed("sort") {
		return usageError{fmt.Errorf("--sort is the order of actors; leave it out for a report of --view %s", view)}
	}
	c, err := top.NewClient(f.addr, cmp.Or(f.token, os.Getenv(tokenVariable)))
	if err != nil {
		return usageError{err}
	}
	defer c.Close()
	if live {
		q := inspect.Query{Sort: inspect.Order(f.sort), Name: f.name}
		interrupted, err := top.Live(ctx, c, q, view, f.every, stdin, stdout, os.Environ())
		if err == nil && interrupted {
			err = errInterrupted
		}
		return err
	}
	return f.report(ctx, c, view, stdout)
}

// report writes one report.
func (f *topFlags) report(ctx context.Context, c *top.Client, view top.View, stdout io.Writer) error {
	jobs := inspect.JobQuery{Name: f.name, Sort: inspect.ByAge, Limit: f.limit}
	switch view {
	case top.TreeView:
		nodes, err := c.Tree(ctx, f.limit)
		return f.write(stdout, nodes, err, func() error { return top.WriteTree(stdout, nodes) })
	case top.FindingsView:
		found, err := c.Findings(ctx)
		return f.write(stdout, found, err, func() error { return top.WriteFindings(stdout, found) })
	case top.WorkersView:
		w, err := c.Workers(ctx)
		return f.write(stdout, w, err, func() error { return top.WriteWorkers(stdout, w) })
	case top.WaitsView:
		w, err := c.Waits(ctx)
		w.Waits = w.Waits[:min(len(w.Waits), f.limit)]
		return f.write(stdout, w, err, func() error { return top.WriteWaits(stdout, w) })
	case top.EventsView:
		all, err := c.Events(ctx)
		all = all[max(0, len(all)-f.limit):]
		return f.write(stdout, all, err, func() error { return top.WriteEvents(stdout, all) })
	case top.StrandsView:
		jobs.Type = inspect.StrandJob
		fallthrough
	case top.JobsView:
		p, err := c.Jobs(ctx, jobs)
		return f.write(stdout, p, err, func() error { return top.WriteJobs(stdout, p) })
	case top.TimersView:
		p, err := c.Timers(ctx, inspect.TimerQuery{Name: f.name, Limit: f.limit})
		return f.write(stdout, p, err, func() error { return top.WriteTimers(stdout, p) })
	case top.NamesView:
		p, err := c.Names(ctx, inspect.NameQuery{Prefix: f.name, Limit: f.limit})
		known := struct { // How many there are on all pages is not.
			Names []inspect.Name `json:"names"`
			Next  string         `json:"next,omitempty"`
		}{p.Names, p.Next}
		return f.write(stdout, known, err, func() error { return top.WriteNames(stdout, p) })
	}
	q := inspect.Query{Sort: inspect.Order(f.sort), Name: f.name, Limit: f.limit}
	look, err := c.Look(ctx, q)
	if err == nil && look.Sample.IntervalSeconds == 0 { // Nobody has looked before, so there are no rates yet.
		if err = pause(ctx, f.every); err == nil {
			look, err = c.Look(ctx, q)
		}
	}
	return f.write(stdout, look, err, func() error { return top.Write(stdout, look) })
}

func (f *topFlags) write(stdout io.Writer, v any, err error, table func() error) error {
	if err != nil || !f.json {
		if err == nil {
			err = table()
		}
		return err
	}
	out := json.NewEncoder(stdout)
	out.SetIndent("", "  ")
	return out.Encode(v)
}

// pause waits for d.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return errInterrupted
	}
}
