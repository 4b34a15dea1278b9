package demo_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/troupe-go/troupe/cmd/troupe/internal/demo"
	"github.com/troupe-go/troupe/cmd/troupe/internal/word"
	"github.com/troupe-go/troupe/internal/lane"
)

// run runs the demo on a tree, without the idle measurement unless change sets it.
func run(t *testing.T, tree fs.FS, change func(*demo.Config)) *demo.Report {
	t.Helper()
	cfg := demo.Config{Dir: "a tree", FS: tree, IdleAsks: -1, Verify: true, Top: demo.DefaultTop}
	if change != nil {
		change(&cfg)
	}
	report, err := demo.Run(t.Context(), cfg)
	if err != nil {
		t.Fatalf("Run failed: %v", err)
	}
	return report
}

// fewer returns a quarter of n under the race detector, which sees no more in more of
// the same.
func fewer(n int) int {
	if raceEnabled {
		return n / 4
	}
	return n
}

func checkVerified(t *testing.T, r *demo.Report) {
	t.Helper()
	if r.Verified == nil || !*r.Verified || r.Check() != nil {
		t.Errorf("verified is %v, want true; differences: %q", r.Verified, r.Differences)
	}
}

func TestRunCounts(t *testing.T) {
	tree := fstest.MapFS{
		"a/one.txt": {Data: []byte("func main() { main() }")},
		"b/two.txt": {Data: []byte("func x1() int { return 0x1F }\n世界")},
		"empty":     {},
	}
	r := run(t, tree, nil)
	checkVerified(t, r)
	if r.Files != 3 || r.Bytes != 22+36 || r.Words != 8 || r.Unique != 6 {
		t.Errorf("got %d files, %d bytes, %d words, %d unique; want 3, 58, 8, 6", r.Files, r.Bytes, r.Words, r.Unique)
	}
	want := []word.Count{{Word: "func", Count: 2}, {Word: "main", Count: 2}, {Word: "int", Count: 1},
		{Word: "return", Count: 1}, {Word: "x1", Count: 1}, {Word: "世界", Count: 1}}
	if !slices.Equal(r.Top, want) {
		t.Errorf("the top is %v, want %v", r.Top, want)
	}
	if r.UrgentAsks < 1 || len(r.Workers) == 0 || r.Speedup == nil {
		t.Errorf("%d urgent queries, %d workers, speedup %v; want some of each", r.UrgentAsks, len(r.Workers), r.Speedup)
	}
}

func TestRunSurvivesFaults(t *testing.T) {
	lane.Check(t)
	tree := manyFiles(fewer(200))
	for _, rate := range []float64{0.02, 0.3, 0.9} {
		for _, members := range []int{1, 3, 8} {
			t.Run(fmt.Sprintf("rate %v, %d tokenizers", rate, members), func(t *testing.T) {
				r := run(t, tree, func(c *demo.Config) {
					c.FaultRate, c.Seed, c.Tokenizers, c.Shards = rate, 42, members, members
				})
				checkVerified(t, r)
				if r.Panics == 0 || r.Restarts != r.Panics || r.Retries != r.Panics {
					t.Errorf("%d panics, %d restarts, %d retries; want as many of each, and some", r.Panics, r.Restarts, r.Retries)
				}
			})
		}
	}
}

func TestSeedChoosesFaults(t *testing.T) {
	lane.Check(t)
	tree := manyFiles(100)
	panics := func(seed uint64) int {
		return run(t, tree, func(c *demo.Config) { c.FaultRate, c.Seed = 0.4, seed }).Panics
	}
	first := panics(7)
	if again := panics(7); again != first {
		t.Errorf("the same seed injected %d panics, then %d", first, again)
	}
	counts := map[int]bool{first: true}
	for seed := range uint64(8) {
		counts[panics(seed+100)] = true
	}
	if len(counts) == 1 {
		t.Errorf("nine seeds injected %d panics each", first)
	}
}

func TestRunIsRepeatable(t *testing.T) {
	lane.Check(t)
	tree := manyFiles(60)
	for seed := range uint64(fewer(20)) {
		r := run(t, tree, func(c *demo.Config) {
			c.FaultRate, c.Seed, c.Workers = 0.3, seed, 1+int(seed%4)
		})
		checkVerified(t, r)
	}
}

func TestFileIsGivenUp(t *testing.T) {
	r := run(t, manyFiles(100), func(c *demo.Config) {
		c.FaultRate = 0.7
		c.SetAttempts(2)
	})
	if r.Skipped[demo.Failed] == 0 || r.Files+r.Skipped[demo.Failed] != 100 {
		t.Errorf("%d files are counted and %d failed; want some failed, and 100 in all", r.Files, r.Skipped[demo.Failed])
	}
	if *r.Verified || !errors.Is(r.Check(), demo.ErrDiffers) {
		t.Errorf("verified is %t, Check returns %v; want false and ErrDiffers", *r.Verified, r.Check())
	}
}

func TestSkippedByReason(t *testing.T) {
	zero := append(bytes.Repeat([]byte("x "), 2000), 0)
	tree := fstest.MapFS{
		"good":           {Data: []byte("good words")},
		"dir/forbidden":  {Data: []byte("bad")},
		"dir/vanished":   {Data: []byte("bad")},
		"broken":         {Data: []byte("bad")},
		"binary":         {Data: zero},
		"late zero":      {Data: append(bytes.Repeat([]byte("y "), 4096), 0)},
		"large":          {Data: bytes.Repeat([]byte("z"), 10_001)},
		"just right":     {Data: bytes.Repeat([]byte("z"), 10_000)},
		"pipe":           {Mode: fs.ModeNamedPipe},
		"link":           {Data: []byte("good"), Mode: fs.ModeSymlink},
		"secret/content": {Data: []byte("bad")},
	}
	r := run(t, failing(tree, map[string]error{
		"dir/forbidden": fs.ErrPermission, "dir/vanished": fs.ErrNotExist, "broken": errors.New("input/output error"),
		"secret": fs.ErrPermission,
	}), func(c *demo.Config) { c.MaxFileSize = 10_000 })
	checkVerified(t, r)
	want := demo.Skipped{
		demo.Unreadable: 3, demo.Vanished: 1, demo.Irregular: 2, demo.Binary: 1, demo.TooLarge: 1,
	}
	if r.Skipped != want {
		t.Errorf("skipped %v, want %v", r.Skipped, want)
	}
	if r.Files != 3 || r.Words != 2+4096+1 {
		t.Errorf("counted %d files and %d words, want 3 and 4099", r.Files, r.Words)
	}
}

func TestFilesThatHideTheirSize(t *testing.T) {
	tree := manyFiles(60)
	tree["large"] = &fstest.MapFile{Data: bytes.Repeat([]byte("z "), 500_000)}
	known := run(t, tree, func(c *demo.Config) { c.MaxFileSize = 900_000 })
	hidden := run(t, unsized{tree}, func(c *demo.Config) { c.MaxFileSize = 900_000 })
	checkVerified(t, hidden)
	if hidden.Words != known.Words || hidden.Skipped != known.Skipped || known.Skipped[demo.TooLarge] != 1 {
		t.Errorf("counted %d words and skipped %v, want %d and %v", hidden.Words, hidden.Skipped, known.Words, known.Skipped)
	}
}

func TestOneLongWord(t *testing.T) {
	tree := fstest.MapFS{"long": {Data: bytes.Repeat([]byte("x"), 3<<20)}, "spaces": {Data: bytes.Repeat([]byte(" "), 1<<20)}}
	r := run(t, tree, func(c *demo.Config) { c.FaultRate, c.Seed = 0.8, 5 })
	checkVerified(t, r)
	if r.Words != 1 || len(r.Top[0].Word) != 3<<20 {
		t.Errorf("found %d words, want one of 3 MiB", r.Words)
	}
	var text strings.Builder
	if err := r.WriteText(&text); err != nil || text.Len() > 10_000 {
		t.Errorf("the text has %d bytes (%v), want the word shortened", text.Len(), err)
	}
}

func TestEmptyTree(t *testing.T) {
	r := run(t, fstest.MapFS{}, nil)
	checkVerified(t, r)
	if r.Files != 0 || r.Bytes != 0 || r.Words != 0 || r.Unique != 0 || r.MBPerS != 0 || len(r.Top) != 0 {
		t.Errorf("got %+v, want zeros", r)
	}
	for name, f := range map[string]float64{"mb_per_s": r.MBPerS, "speedup": *r.Speedup, "urgent_p99": r.UrgentP99} {
		if math.IsNaN(f) || math.IsInf(f, 0) {
			t.Errorf("%s is %v", name, f)
		}
	}
}

func TestChangedFileIsNoticed(t *testing.T) {
	tree := fstest.MapFS{"file": {Data: []byte("one two")}, "changed": {Data: []byte("before both")}}
	opened := 0
	var mu sync.Mutex
	r := run(t, odd{tree, func(name string) error {
		mu.Lock()
		defer mu.Unlock()
		if name == "changed" {
			if opened++; opened == 3 { // To warm the cache, to index, to recount.
				tree[name] = &fstest.MapFile{Data: []byte("after both")}
			}
		}
		return nil
	}}, nil)
	if *r.Verified || len(r.Differences) != 3 {
		t.Errorf("verified is %t with differences %q; want false, and bytes, before and after", *r.Verified, r.Differences)
	}
	if err := r.Check(); !errors.Is(err, demo.ErrDiffers) || !strings.Contains(err.Error(), `"before": 1, recounted 0`) {
		t.Errorf("Check returns %v, want ErrDiffers with what differs", err)
	}
}

func TestManyDifferencesAreSummedUp(t *testing.T) {
	tree := fstest.MapFS{"file": {Data: []byte("a b c d e f g h i j")}}
	opened := 0
	r := run(t, odd{tree, func(name string) error {
		if name == "file" {
			if opened++; opened == 3 {
				tree[name] = &fstest.MapFile{Data: []byte("A B C D E F G H I J")}
			}
		}
		return nil
	}}, nil)
	if last := r.Differences[len(r.Differences)-1]; len(r.Differences) != 6 || last != "and 15 more identifiers" {
		t.Errorf("the differences are %q, want five and the number of the others", r.Differences)
	}
}

func TestInterrupted(t *testing.T) {
	tree := manyFiles(300)
	for name, cfg := range map[string]struct {
		nth      int64
		complete bool
	}{
		"while warming":    {nth: 20},
		"while indexing":   {nth: 300 + 150},
		"while recounting": {nth: 600 + 20, complete: true},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			r, err := demo.Run(ctx, demo.Config{
				Dir: "a tree", FS: onOpen(tree, cfg.nth, cancel), IdleAsks: -1, Verify: true, Top: 3,
			})
			if err != nil {
				t.Fatalf("Run failed: %v", err)
			}
			if !r.Partial || r.Verified != nil || r.Speedup != nil {
				t.Errorf("partial is %t, verified %v, speedup %v; want true and nils", r.Partial, r.Verified, r.Speedup)
			}
			if complete := r.Files == len(tree); complete != cfg.complete {
				t.Errorf("%d of %d files are counted", r.Files, len(tree))
			}
		})
	}
}

func TestInterruptedBeforeItBegins(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, err := demo.Run(ctx, demo.Config{Dir: "a tree", FS: manyFiles(10), Top: 3})
	if err != nil || !r.Partial {
		t.Errorf("Run returns %+v, %v; want a partial report", r, err)
	}
}

func TestInterruptedWithFaults(t *testing.T) {
	lane.Short(t)
	tree := manyFiles(300)
	for seed := range uint64(10) {
		ctx, cancel := context.WithCancel(t.Context())
		r, err := demo.Run(ctx, demo.Config{
			Dir: "a tree", FS: onOpen(tree, 20+10*int64(seed), cancel), IdleAsks: -1, Top: 3, FaultRate: 0.5, Seed: seed,
		})
		cancel()
		if err != nil || !r.Partial || r.Files == 0 {
			t.Errorf("Run returns %+v, %v; want a partial report with some files", r, err)
		}
	}
}

func TestInterruptedWhileAFileBlocks(t *testing.T) {
	lane.Short(t)
	for name, nth := range map[string]int64{"while warming": 50, "while indexing": 150, "while recounting": 250} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			release := make(chan struct{})
			defer close(release)
			tree := onOpen(manyFiles(100), nth, func() {
				cancel()
				<-release
			})
			began := time.Now()
			r, err := demo.Run(ctx, demo.Config{Dir: "a tree", FS: tree, IdleAsks: -1, Top: 3, Verify: true})
			if err != nil || !r.Partial || r.Verified != nil || (r.Files == 0) != (nth == 50) {
				t.Errorf("Run returns %+v, %v; want a partial report with some files, if any were indexed", r, err)
			}
			if took := time.Since(began); took > 5*time.Second { // A second, and four for a machine that is busy.
				t.Errorf("Run took %v to give up", took)
			}
		})
	}
}

func TestBadInput(t *testing.T) {
	tree := manyFiles(1)
	for name, cfg := range map[string]demo.Config{
		"workers":         {FS: tree, Workers: -1},
		"too many":        {FS: tree, Workers: demo.MaxWorkers + 1},
		"tokenizers":      {FS: tree, Tokenizers: -1},
		"shards":          {FS: tree, Shards: demo.MaxShards + 1},
		"top":             {FS: tree, Top: -1},
		"file size":       {FS: tree, MaxFileSize: -1},
		"rate of 1":       {FS: tree, FaultRate: 1},
		"negative rate":   {FS: tree, FaultRate: -0.1},
		"NaN":             {FS: tree, FaultRate: math.NaN()},
		"infinite rate":   {FS: tree, FaultRate: math.Inf(1)},
		"idle queries":    {FS: tree, IdleAsks: -2},
		"query interval":  {FS: tree, AskEvery: -1},
		"missing":         {Dir: "/no/such/directory"},
		"no directory":    {Dir: ""},
		"a file":          {FS: odd{tree, nil}.sub("dir0/sub0/file0.txt")},
		"not to be read":  {FS: failing(tree, map[string]error{".": fs.ErrPermission})},
		"progress period": {FS: tree, ProgressEvery: -1},
	} {
		if r, err := demo.Run(t.Context(), cfg); !errors.Is(err, demo.ErrInput) || r != nil {
			t.Errorf("%s: Run returns %v, %v; want ErrInput", name, r, err)
		} else if strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: the error has several lines: %v", name, err)
		}
	}
}

// sub returns the tree whose root is the given file, which is no tree.
func (o odd) sub(name string) fs.FS {
	return rooted{o.FS, name}
}

type rooted struct {
	fs.FS
	root string
}

func (r rooted) Open(string) (fs.File, error) { return r.FS.Open(r.root) }

// TestPanicOfARequiredActorIsReported has a tree panic, as a file system with a defect may: the actor that meets it dies, and the run says so.
func TestPanicOfARequiredActorIsReported(t *testing.T) {
	for name, of := range map[string]string{"dir3/sub0/file150.txt": "feeder-", "dir3/sub0": "walker"} {
		tree := odd{manyFiles(200), func(opened string) error {
			if opened == name {
				panic("the disk is on fire")
			}
			return nil
		}}
		r, err := demo.Run(t.Context(), demo.Config{Dir: "a tree", FS: tree, IdleAsks: -1})
		if r != nil || err == nil || !strings.Contains(err.Error(), of) || !strings.Contains(err.Error(), "on fire") {
			t.Errorf("Run returns %+v, %v; want an error that names %s and the panic", r, err, of)
		}
	}
}

// TestEveryQueryIsAnswered has so many queries and progress reports that some are under way when the work ends.
func TestEveryQueryIsAnswered(t *testing.T) {
	lane.Short(t)
	for range fewer(20) {
		r := run(t, manyFiles(30), func(c *demo.Config) {
			c.AskEvery, c.ProgressEvery, c.IdleAsks = time.Millisecond, time.Millisecond/10, 7
			c.Progress = func(demo.Progress) {}
		})
		checkVerified(t, r)
		if r.IdleAsks != 7 || r.UrgentAsks == 0 {
			t.Errorf("%d queries were answered under load and %d idle, want some and 7", r.UrgentAsks, r.IdleAsks)
		}
	}
}

func TestProgress(t *testing.T) {
	var seen []demo.Progress
	tree := manyFiles(100)
	run(t, tree, func(c *demo.Config) {
		c.Progress = func(p demo.Progress) { seen = append(seen, p) }
		c.ProgressEvery = time.Millisecond
		c.IdleAsks = 1
	})
	ended := map[demo.Phase]demo.Progress{}
	for _, p := range seen {
		if p.Done {
			ended[p.Phase] = p
		}
	}
	for _, phase := range []demo.Phase{demo.Warming, demo.Indexing, demo.Recounting} {
		if p := ended[phase]; p.Files != len(tree) || p.Bytes == 0 {
			t.Errorf("%s ended with %d files and %d bytes, want %d files", phase, p.Files, p.Bytes, len(tree))
		}
	}
	if len(ended) != 4 {
		t.Errorf("the phases that ended are %v, want four", slices.Collect(maps.Keys(ended)))
	}
}

func TestProgressWithASurvey(t *testing.T) {
	var last demo.Progress
	tree := manyFiles(100)
	run(t, tree, func(c *demo.Config) {
		c.Verify, c.Survey = false, true
		c.Progress = func(p demo.Progress) { last = p }
	})
	if last.Total != len(tree) {
		t.Errorf("the total is %d in the end, want %d", last.Total, len(tree))
	}
}
