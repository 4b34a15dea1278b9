package sqlite_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/journal"
	"github.com/troupe-go/troupe/journal/internal/appending"
)

// childPoint says at which point of which commit a child ends itself, such as "stored 3".
// An empty one is for no point.
const childPoint = "TROUPE_JOURNAL_POINT"

// failpoint is a store whose process ends on order, as by kill -9: when a group has been
// formed and nothing of it is stored; when it is stored and nobody has been told; or when the
// first actor has been told, and has answered nobody.
type failpoint struct {
	journal.Store
	point   string
	commits int         // Until the point. The committer alone uses it.
	armed   atomic.Bool // The commit of the point is stored.
	told    func()
}

func newFailpoint(store journal.Store, text string) (*failpoint, error) {
	f := &failpoint{Store: store}
	f.told = func() {
		if f.armed.Load() {
			endNow()
		}
	}
	if text == "" {
		return f, nil
	}
	_, err := fmt.Sscan(text, &f.point, &f.commits)
	return f, err
}

// endNow ends the process. Nothing that is deferred runs, and nothing is flushed.
func endNow() {
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Kill()
	}
	if err != nil {
		panic(err)
	}
	select {} // The signal is on its way.
}

func (f *failpoint) Append(ctx context.Context, batch []*journal.Write) error {
	if len(batch[0].Events) > 0 { // Other writes take fences.
		f.commits--
	}
	here := f.commits == 0
	if here {
		f.name(batch)
	}
	if here && f.point == "formed" {
		endNow()
	}
	err := f.Store.Append(ctx, batch)
	if here && err == nil && f.point == "stored" {
		endNow()
	}
	if here && f.point == "told" {
		f.armed.Store(true)
	}
	return err
}

// name prints the streams and versions of the group.
func (f *failpoint) name(batch []*journal.Write) {
	text := "group"
	for _, w := range batch {
		if len(w.Events) > 0 {
			text += fmt.Sprintf(" %s:%d", w.Stream, w.Expected+1)
		}
	}
	if _, err := fmt.Fprintln(os.Stdout, text); err != nil {
		panic(err)
	}
}

// The process ends at each point of the committer, in a random commit. All that was
// acknowledged is there. A group that was formed has left nothing, and one that was stored
// is there, whole.
func TestFailpoints(t *testing.T) {
	for _, point := range []string{"formed", "stored", "told"} {
		t.Run(point, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "journal.db")
			var books appending.Books
			for range lane.Rounds(1, 5, 100) {
				var group []string
				cmd := childOf(path, childPoint+"="+fmt.Sprint(point, " ", 1+rand.IntN(20)))
				books.Follow(t, cmd, func() {}, func(int) {}, func(line string) { group = strings.Fields(line) })
				if cmd.ProcessState.Exited() || len(group) < 2 || group[0] != "group" {
					t.Fatalf("the child did not end itself at the point: %v, after %q", cmd.ProcessState, group)
				}
				checkFile(t, &books, path)
				for _, member := range group[1:] {
					var i, version int
					if _, err := fmt.Sscanf(member, "%d:%d", &i, &version); err != nil {
						t.Fatalf("the child says %q: %v", member, err)
					}
					if there := books.Stored[i] >= version; there != (point != "formed") {
						t.Errorf("actor %d, number %d, whose group was %s: stored is %v", i, version, point, there)
					}
				}
			}
		})
	}
}
