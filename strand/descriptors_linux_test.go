package strand_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/strand"
)

// allBut takes all descriptors away but as many as left, until it is told to give them
// back.
func allBut(t *testing.T, left int) (giveBack func()) {
	t.Helper()
	var was unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &was); err != nil {
		t.Fatal(err)
	}
	low := was
	low.Cur = uint64(descriptors(t) + left + 8) // There may be gaps.
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &low); err != nil {
		t.Fatal(err)
	}
	var spares []int
	for {
		fd, err := unix.Dup(0)
		if err != nil {
			break
		}
		spares = append(spares, fd)
	}
	free := func(all []int) {
		for _, fd := range all {
			_ = unix.Close(fd) // It is of nobody.
		}
	}
	free(spares[len(spares)-left:])
	return func() {
		free(spares[:len(spares)-left])
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &was); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDescriptorsRunOutMidway leaves so few descriptors that the first part of a call
// finds one, and the next part does not. It says so, and nothing is left behind.
func TestDescriptorsRunOutMidway(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "file")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var socket string
	run(t, 1, func(s *strand.Strand) error {
		open, err := strand.Listen(s, "tcp", "127.0.0.1:0") // The system lets clients in. An accept would take descriptors.
		if err != nil {
			return err
		}
		defer open.Close() //nolint:errcheck // There is nothing to lose.
		address := open.Addr().String()
		if c, err := strand.Dial(s, "tcp", address); err != nil { // The runtime has what it needs.
			return err
		} else if err := c.Close(); err != nil {
			return err
		}
		before := descriptors(t)
		for what, call := range map[string]func() (io.Closer, error){
			address: func() (io.Closer, error) { return strand.Dial(s, "tcp", address) },
			name:    func() (io.Closer, error) { return strand.Open(s, name, os.O_RDONLY, 0) },
			dir:     func() (io.Closer, error) { return strand.Listen(s, "unix", socket) },
		} {
			failed := 0
			for left := range 8 {
				socket = filepath.Join(dir, fmt.Sprint("socket", left))
				giveBack := allBut(t, left)
				c, err := call()
				giveBack()
				if err == nil {
					if err := c.Close(); err != nil {
						return err
					}
				} else {
					failed++
					if !errors.Is(err, unix.EMFILE) || !strings.Contains(err.Error(), what) {
						t.Errorf("with %d descriptors it says %v; want %v, and %s", left, err, unix.EMFILE, what)
					}
				}
				patience.Until(t, guarded(t), func() bool { return descriptors(t) <= before })
				if _, err := os.Stat(socket); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("with %d descriptors the socket's file is left: %v", left, err)
				}
			}
			if failed < 2 || failed == 8 {
				t.Errorf("%d of 8 calls with %s failed", failed, what)
			}
		}
		return nil
	})
}

// TestNameOfTheSystem listens at a Unix address that is no file, beside a file of that
// name.
func TestNameOfTheSystem(t *testing.T) {
	t.Chdir(t.TempDir())
	name := fmt.Sprintf("@troupe-%d", os.Getpid())
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, 1, func(s *strand.Strand) error {
		l, err := strand.Listen(s, "unix", name)
		if err != nil {
			return err
		}
		c, err := strand.Dial(s, "unix", name)
		if err != nil {
			return err
		}
		return errors.Join(c.Close(), l.Close())
	})
	if _, err := os.Stat(name); err != nil {
		t.Errorf("the file of somebody else is gone: %v", err)
	}
}

// TestCloseWhileACallBlocks closes a stream that can't be polled while a strand reads and
// another writes. Its calls go on.
func TestCloseWhileACallBlocks(t *testing.T) {
	files := func() (r, w *os.File) {
		var p [2]int
		if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil { // Its ends block, as standard streams do.
			t.Fatal(err)
		}
		return os.NewFile(uintptr(p[0]), "reader"), os.NewFile(uintptr(p[1]), "writer")
	}
	silent, theirEnd := files()
	defer theirEnd.Close() //nolint:errcheck // Nothing was written.
	notRead, full := files()
	defer notRead.Close() //nolint:errcheck // Nothing is read.
	for what, c := range map[string]struct {
		of   *os.File
		call func(ctx context.Context, c *strand.Conn) error
	}{
		"ReadLine": {silent, func(ctx context.Context, c *strand.Conn) error { _, err := c.ReadLine(ctx); return err }},
		"Write": {full, func(ctx context.Context, c *strand.Conn) error {
			_, err := c.Write(ctx, make([]byte, 1<<20))
			return err
		}},
	} {
		t.Run(what, func(t *testing.T) { closesWhile(t, c.of, c.call) })
	}
}

func closesWhile(t *testing.T, f *os.File, call func(ctx context.Context, c *strand.Conn) error) {
	run(t, 1, func(s *strand.Strand) error {
		c, err := strand.File(f)
		if err != nil {
			return err
		}
		first, err := strand.Go(s, func(s *strand.Strand) error { return call(s, c) })
		if err != nil {
			return err
		}
		second, err := strand.Go(s, func(s *strand.Strand) error { return call(s, c) }) // It waits for the first.
		if err != nil {
			return err
		}
		s.Yield()
		if err := c.Close(); err != nil {
			return err
		}
		is(t, first.Join(s), net.ErrClosed)
		is(t, second.Join(s), net.ErrClosed)
		return nil
	})
}
