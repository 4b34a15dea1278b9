package strand_test

import (
	"net"
	"runtime"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/strand"
)

// leaving is a connection of the user's own, whose methods do not return.
type leaving struct{ net.Conn }

func (leaving) Read([]byte) (int, error)  { runtime.Goexit(); return 0, nil }
func (leaving) Write([]byte) (int, error) { runtime.Goexit(); return 0, nil }

// A stream's method calls Goexit. The strand that reads or writes the stream gets an error for
// it.
func TestGoexitOfAStream(t *testing.T) {
	run(t, 1, func(s *strand.Strand) error {
		near, far := net.Pipe()
		defer far.Close() //nolint:errcheck // Nothing goes by it.
		c, err := strand.Wrap(leaving{near})
		if err != nil {
			return err
		}
		_, read := c.ReadLine(s)
		_, written := c.Write(s, []byte("x"))
		for _, err := range []error{read, written} {
			if err == nil || !strings.Contains(err.Error(), "runtime.Goexit") {
				t.Errorf("it says %v", err)
			}
		}
		return c.Close()
	})
}
