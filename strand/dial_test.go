package strand_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/troupe-go/troupe/strand"
)

func TestUnixSocketsAndDial(t *testing.T) {
	path := filepath.Join(t.TempDir(), "socket")
	run(t, 2, func(s *strand.Strand) error {
		l, err := strand.Listen(s, "unix", path)
		if err != nil {
			return err
		}
		accepted, err := strand.Go(s, func(s *strand.Strand) error {
			c, err := l.Accept(s)
			if err != nil {
				return err
			}
			return echo(s, c)
		})
		if err != nil {
			return err
		}
		c, err := strand.Dial(s, "unix", path)
		if err != nil {
			return err
		}
		if err := c.WriteLine(s, "hello"); err != nil {
			return err
		}
		if line, err := c.ReadLine(s); line != "hello" || err != nil {
			t.Errorf("%q came back, %v", line, err)
		}
		if err := errors.Join(c.Close(), accepted.Join(s), l.Close()); err != nil {
			return err
		}
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the socket's file is left: %v", err)
		}
		_, err = strand.Dial(s, "unix", path)
		is(t, err, os.ErrNotExist)
		_, err = strand.Listen(s, "udp", "127.0.0.1:0")
		is(t, err, net.UnknownNetworkError("udp"))
		return nil
	})
}
