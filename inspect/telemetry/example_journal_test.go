package telemetry_test

import (
	"context"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/troupe-go/troupe/inspect/telemetry"
	"github.com/troupe-go/troupe/journal"
	"github.com/troupe-go/troupe/journal/memory"
)

func ExampleJournalCollector() {
	j := journal.New(memory.New())
	e := journal.Encoded{Type: "opened", Schema: 1, Codec: "json", Data: []byte("{}")}
	if err := j.Append(context.Background(), &journal.Write{Stream: "account/1", Events: []journal.Encoded{e}}); err != nil {
		fmt.Println(err)
		return
	}
	c, err := telemetry.JournalCollector(telemetry.Journals{Journals: map[string]*journal.Journal{"bank": j}})
	if err != nil {
		fmt.Println(err)
		return
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(c)
	families, err := registry.Gather()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range families {
		if f.GetName() == "troupe_journal_stored_events_total" {
			fmt.Println(f.GetName(), f.GetMetric()[0].GetCounter().GetValue())
		}
	}
	// Output: troupe_journal_stored_events_total 1
}
