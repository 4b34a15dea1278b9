package engine_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/engine"
)

func TestLongNamesAreClippedInErrors(t *testing.T) {
	for _, err := range []error{
		engine.CheckName("table", strings.Repeat("n", 1<<20)),
		engine.CheckSubject("key", strings.Repeat("n", 1<<20)),
	} {
		if !errors.Is(err, engine.ErrInvalid) || len(err.Error()) > 1000 {
			t.Errorf("a name of a megabyte makes an error of %d bytes", len(err.Error()))
		}
	}
}

func TestConflictSaysWhatIsThere(t *testing.T) {
	for _, c := range []struct {
		err  engine.ConflictError
		want string
	}{
		{engine.ConflictError{Where: `table "members"`, Key: "a", Expected: 3, Actual: 5}, `engine: table "members", key "a": the write expects the revision 3, and it is 5; read again, and decide anew`},
		{engine.ConflictError{Where: `log "orders"`, Expected: 3, Actual: 5}, `engine: log "orders": the write expects the last sequence 3, and it is 5; read again, and decide anew`},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("the error is %q, want %q", got, c.want)
		}
	}
}
