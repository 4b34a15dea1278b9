package settings_test

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/internal/workers/settings"
)

func TestBadSettingsAreNamedWithTheirValues(t *testing.T) {
	for want, cfg := range map[string]settings.Config{
		"Config.Workers is -1":                    {Workers: -1},
		"Config.Workers is 16385":                 {Workers: 1<<14 + 1},
		"Config.MaxSpares is -2":                  {MaxSpares: -2},
		"Config.BlockedAfter is -1s":              {BlockedAfter: -time.Second},
		"Config.AgeAfter is -2s":                  {AgeAfter: -2 * time.Second},
		"Config.Reductions is -2":                 {Reductions: -2},
		"Config.QueueCapacity is -1":              {QueueCapacity: -1},
		"Config.JobTimeout is -2s":                {JobTimeout: -2 * time.Second},
		"Config.MaxQueued is -2":                  {MaxQueued: -2},
		"Config.WhenFull is 2":                    {WhenFull: 2},
		"Config.Steal: unknown strategy 4":        {Steal: 4},
		"Config.MaxSteal is -1":                   {MaxSteal: -1},
		"Config.BackoffMin is -1s":                {BackoffMin: -time.Second},
		"Config.BackoffMax is -1s":                {BackoffMax: -time.Second},
		"less than Config.BackoffMin, which is 2": {BackoffMin: 2, BackoffMax: 1},
		"Config.PreemptionDepth is 65":            {PreemptionDepth: settings.MaxPreemptionDepth + 1},
		"Config.Reserved[high] is -2":             {Reserved: [settings.Priorities]int{settings.High: -2}},
		"asks for 3 workers":                      {Workers: 2, Reserved: [settings.Priorities]int{3}},
		"leaves none that would run low work":     {Workers: 2, Reserved: [settings.Priorities]int{2}},
		"unknown Config.Placement 2":              {Placement: 2},
		"Config.ImbalanceThreshold is NaN":        {ImbalanceThreshold: math.NaN()},
		"Config.RebalanceMin is -1s":              {RebalanceMin: -time.Second},
		"Config.RebalanceMax is -2s":              {RebalanceMax: -2 * time.Second},
	} {
		if _, err := cfg.WithDefaults(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got the error %v, want one with %q", err, want)
		}
	}
}

func TestDefaultsAreFilledIn(t *testing.T) {
	cfg, err := settings.Config{}.WithDefaults()
	if err != nil {
		t.Fatal(err)
	}
	want := settings.Config{
		Workers: runtime.GOMAXPROCS(0), MaxSpares: 256, BlockedAfter: 10 * time.Millisecond, AgeAfter: 5 * time.Second,
		Reductions: 4000, QueueCapacity: 1024, MaxSteal: cfg.MaxSteal, BackoffMin: cfg.BackoffMin, BackoffMax: cfg.BackoffMax,
		PreemptionDepth: 3, JobTimeout: 30 * time.Second, ImbalanceThreshold: 0.3,
		RebalanceMin: time.Millisecond, RebalanceMax: 50 * time.Millisecond,
	}
	if cfg != want || cfg.MaxSteal <= 0 || cfg.BackoffMin <= 0 || cfg.BackoffMax < cfg.BackoffMin {
		t.Errorf("got %+v, want %+v", cfg, want)
	}
}

func TestMinusOneMeansNone(t *testing.T) {
	cfg, err := settings.Config{
		MaxSpares: -1, AgeAfter: -1, Reductions: -1, PreemptionDepth: -1, JobTimeout: -1, RebalanceMax: -1,
		Reserved: [settings.Priorities]int{-1},
	}.WithDefaults()
	if err != nil {
		t.Fatal(err)
	}
	if cfg.MaxSpares != 0 || cfg.AgeAfter != 0 || cfg.Reductions != math.MaxInt || cfg.PreemptionDepth != 0 ||
		cfg.JobTimeout != 0 || cfg.RebalanceMax != -1 || cfg.Reserved[0] != 0 {
		t.Errorf("got %+v", cfg)
	}
}

func TestChoicesSayTheirNames(t *testing.T) {
	for want, choice := range map[string]fmt.Stringer{
		"normal": settings.Normal, "Priority(4)": settings.Priority(settings.Priorities),
		"least loaded": settings.LeastLoaded, "Placement(2)": settings.Placement(2),
		"batched": settings.StealBatched, "StealStrategy(4)": settings.StealStrategy(4),
	} {
		if got := choice.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
