package terminal_test

import (
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/cmd/troupe/internal/terminal"
	"github.com/troupe-go/troupe/internal/patience"
)

// TestKeystrokesGoThroughFourStages types a line with a mistake, and has output shown above it.
func TestKeystrokesGoThroughFourStages(t *testing.T) {
	for _, subject := range terminal.Subjects {
		t.Run(subject, func(t *testing.T) {
			ctx := patience.Context(t)
			sys, err := actor.NewSystem(actor.Config{})
			if err != nil {
				t.Fatal(err)
			}
			patience.StopAtEnd(t, sys)
			p, err := terminal.NewPipeline(sys, subject)
			if err != nil {
				t.Fatal(err)
			}
			const ctrlH = 'h' & 0x1f
			for _, step := range []struct {
				key  byte
				want string
			}{{'a', "a a"}, {'b', "b ab"}, {'x', "x abx"}, {ctrlH, "h ab"}, {'c', "c abc"}} {
				row, err := p.Type(ctx, step.key)
				if err != nil {
					t.Fatal(err)
				}
				if row != step.want {
					t.Errorf("after %q the last row is %q, want %q", step.key, row, step.want)
				}
			}
			if err := p.Output(ctx, "output"); err != nil {
				t.Fatal(err)
			}
			if got := p.Row(0); got != "output" {
				t.Errorf("the first row is %q, want the output", got)
			}
			if got := p.Passed(); got != 6*4 {
				t.Errorf("the stages have taken %d messages, want 4 for each of 5 keys and one piece of output", got)
			}
		})
	}
}
