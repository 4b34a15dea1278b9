package main

import (
	"context"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/supervise"
)

type line struct{ text string }

// importer panics at each line without a comma, and is restarted.
type importer struct{ rows int }

func (i *importer) Receive(_ *actor.Context[line], l line) error {
	i.rows += len(i.parse(l.text))
	return nil
}

// parse forgets that there may be no second field: this is the mistake.
func (i *importer) parse(text string) string {
	var fields []string
	for at, c := range text {
		if c == ',' {
			fields = append(fields, text[:at], text[at+1:])
		}
	}
	return fields[1]
}

func panics(ctx context.Context, sys *actor.System, names *names) (func(), error) {
	sup, err := supervise.Start(sys, supervise.Config{Name: names.next(), Intensity: 1000, Period: time.Second})
	if err != nil {
		return nil, err
	}
	lines, err := supervise.Spawn(ctx, sup, supervise.Child[line]{
		Name: names.culprit(), New: func() actor.Actor[line] { return &importer{} },
	})
	if err != nil {
		return nil, err
	}
	return func() {
		for n := 0; lines.Send(ctx, line{[]string{"a,b", "c,d", "e"}[n%3]}) == nil; n++ {
			wait(ctx, 100*time.Millisecond)
		}
	}, nil
}
