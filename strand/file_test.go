package strand_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/troupe-go/troupe/strand"
)

func TestFiles(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	run(t, 1, func(s *strand.Strand) error {
		f, err := strand.Open(s, name, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return err
		}
		if err := errors.Join(f.WriteLine(s, "one"), f.WriteLine(s, "two"), f.Close()); err != nil {
			return err
		}
		if f, err = strand.Open(s, name, os.O_RDONLY, 0); err != nil {
			return err
		}
		for _, want := range []string{"one", "two"} {
			if line, err := f.ReadLine(s); line != want || err != nil {
				t.Errorf("%q came, %v, want %q", line, err, want)
			}
		}
		if _, err := f.ReadLine(s); !errors.Is(err, io.EOF) {
			t.Errorf("the end came as %v", err)
		}
		_, err = strand.Open(s, name+"not", os.O_RDONLY, 0)
		is(t, err, os.ErrNotExist)
		return f.Close()
	})
}

// TestPipesOfTheSystem has a reader wait on a pipe, which is cancelled once.
func TestPipesOfTheSystem(t *testing.T) {
	run(t, 1, func(s *strand.Strand) error {
		r, w, err := os.Pipe()
		if err != nil {
			return err
		}
		in, err := strand.File(r)
		if err != nil {
			return err
		}
		out, err := strand.File(w)
		if err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(s, time.Millisecond)
		defer cancel()
		_, err = in.ReadLine(ctx)
		is(t, err, context.DeadlineExceeded)
		if err := errors.Join(out.WriteLine(s, "through"), out.Close()); err != nil {
			return err
		}
		if line, err := in.ReadLine(s); line != "through" || err != nil {
			t.Errorf("%q came, %v", line, err)
		}
		return in.Close()
	})
}
