package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/troupe-go/troupe/cmd/troupe/internal/demo"
)

// display shows progress.
type display interface {
	// attach sets what the display needs in a demo's configuration.
	attach(*demo.Config)
}

// newDisplay returns a bar for a terminal, and plain lines for anything else.
func newDisplay(w io.Writer) display {
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return &bar{w: w, every: 100 * time.Millisecond}
	}
	return &lines{w: w}
}

// bar shows each phase as a progress bar, or a spinner while it isn't known how much there is to do.
type bar struct {
	w     io.Writer
	every time.Duration // Often enough to look alive.
	shown *progressbar.ProgressBar
}

func (b *bar) attach(c *demo.Config) {
	c.Progress, c.ProgressEvery = b.show, b.every
	c.Survey = true
}

// show draws to a terminal; if that fails there is nobody to be told.
func (b *bar) show(p demo.Progress) {
	if b.shown == nil {
		b.shown = b.begin(p.Phase)
	}
	if p.Total > 0 && b.shown.GetMax() != p.Total {
		b.shown.ChangeMax(p.Total)
	}
	_ = b.shown.Set(p.Files)
	description := string(p.Phase)
	if p.Bytes > 0 {
		description += " " + humanize.Bytes(uint64(p.Bytes))
	}
	b.shown.Describe(description)
	if p.Done {
		_ = b.shown.Clear()
		_ = b.shown.Exit()
		b.shown = nil
	}
}

// begin draws the bar of a phase for the first time.
func (b *bar) begin(phase demo.Phase) *progressbar.ProgressBar {
	const (
		unknown = -1
		dots    = 14
	)
	options := []progressbar.Option{
		progressbar.OptionSetWriter(b.w),
		progressbar.OptionSetWidth(20),
		progressbar.OptionSetDescription(string(phase)),
		progressbar.OptionSpinnerType(dots),
		progressbar.OptionSetSpinnerChangeInterval(0), // It turns when there is something to show.
		progressbar.OptionThrottle(b.every / 2),       // Draws once for two changes at the same time.
		progressbar.OptionClearOnFinish(),
	}
	if phase != demo.Measuring {
		options = append(options,
			progressbar.OptionShowCount(), progressbar.OptionShowIts(), progressbar.OptionSetItsString("files"))
	}
	return progressbar.NewOptions(unknown, options...)
}

// lines writes a line a second, and one at the end of each phase.
type lines struct {
	w io.Writer
}

func (l *lines) attach(c *demo.Config) {
	c.Progress, c.ProgressEvery = l.show, time.Second
}

func (l *lines) show(p demo.Progress) {
	if !p.Done && p.Elapsed < time.Second/2 {
		return
	}
	line := fmt.Sprintf("troupe: %s: %.1f s", p.Phase, p.Elapsed.Seconds())
	if p.Files > 0 {
		line += fmt.Sprintf(", %s files, %s", amount(p), humanize.Bytes(uint64(p.Bytes)))
	}
	fmt.Fprintln(l.w, line) //nolint:errcheck // Progress that can't be shown is no reason to fail.
}

func amount(p demo.Progress) string {
	done := humanize.Comma(int64(p.Files))
	if p.Total <= p.Files {
		return done
	}
	return done + " of " + humanize.Comma(int64(p.Total))
}
