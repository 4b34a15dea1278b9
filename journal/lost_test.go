package journal_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/journal"
)

type (
	position struct{ X, Y int }
	// whole loses nothing: the fields of an embedded struct are encoded with its own.
	whole struct {
		position
		At    time.Time
		Names map[string][]string
		Note  *string
		Then  func() `json:"-"`
	}
	hidden  struct{ Amount, balance int }
	nested  struct{ Parts []hidden }
	dynamic struct{ Value any }
	calling struct{ Then func() }
	stamped struct {
		time.Time
		Amount int
	}
	doubled struct {
		A int `json:"B"`
		B int
	}
)

// TestEventsWhoseFieldsWouldBeLost has sets refuse types of which JSON would lose a part.
func TestEventsWhoseFieldsWouldBeLost(t *testing.T) {
	if err := journal.Events[any](journal.Event[whole]("whole"), journal.Event[int]("number")).Err(); err != nil {
		t.Errorf("a type that loses nothing: %v", err)
	}
	for _, c := range []struct {
		event journal.Definition
		want  string
	}{
		{journal.Event[hidden]("h"), `event "h" as json: journal_test.hidden: field balance: it is unexported and would be lost; export it, leave it out by the tag json:"-", or give`},
		{journal.Event[nested]("n"), `field Parts[].balance: it is unexported`},
		{journal.Event[dynamic]("d"), `field Value: interface {} is an interface, and the reader can't know what is in it`},
		{journal.Event[calling]("c"), `field Then: a func() means nothing to the reader; leave it out by the tag json:"-"`},
		{journal.Event[stamped]("s"), `the encoding methods of journal_test.stamped may be those of its embedded field Time`},
		{journal.Event[doubled]("b"), `field B: its stored name, "B", is also the name of A`},
	} {
		set := journal.Events[any](c.event)
		if err := set.Err(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("the set says %v; want %q in it", err, c.want)
		}
	}
	if _, err := journal.Events[any](journal.Event[hidden]("h")).Encode(hidden{1, 2}); err == nil {
		t.Error("an event was encoded that loses a field")
	}
	if err := journal.Events[any](journal.Event[int]("i"), journal.Erasure[hidden]()).Err(); err != nil {
		t.Errorf("the event of an erasure is not stored by its type: %v", err)
	}
}

// TestSnapshotsWhoseFieldsWouldBeLost has the definition of an actor refuse them.
func TestSnapshotsWhoseFieldsWouldBeLost(t *testing.T) {
	_, err := journal.Actor(journal.Config[call, any]{
		Journal: journal.New(broken{}), Events: journal.Events[any](journal.Event[int]("i")), SnapshotEvery: 10,
		Snapshots: journal.SnapshotOf[hidden]("state", 1), New: func(*journal.Self) journal.Behaviour[call, any] { return nil },
	})
	if want := `snapshot "state" as json: journal_test.hidden: field balance: it is unexported`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("the definition says %v; want %q in it", err, want)
	}
}

// TestCodecWithoutACheckIsTrusted has a codec that does not tell what it would lose.
func TestCodecWithoutACheckIsTrusted(t *testing.T) {
	if _, checks := journal.JSON.(journal.TypeChecker); !checks {
		t.Fatal("JSON does not check types")
	}
	set := journal.Events[any](journal.Encoding(upper{}), journal.Event[hidden]("h"))
	if err := set.Err(); err != nil {
		t.Errorf("the set of %v says %v", reflect.TypeFor[upper](), err)
	}
}
