package strand_test

import (
	"context"
	"testing"
	"time"

	"github.com/troupe-go/troupe/strand"
)

// TestContextOfAnotherStrand has a strand wait with the context of the one that has
// started it, on the only worker, where there are no spares: to block there would be
// the end of both.
func TestContextOfAnotherStrand(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(t *testing.T, s *strand.Strand) (wait func(ctx context.Context) error, end func(s *strand.Strand) error)
	}{
		{"receive", func(*testing.T, *strand.Strand) (func(context.Context) error, func(*strand.Strand) error) {
			c := strand.NewChan[int](0)
			return func(ctx context.Context) error { _, err := c.Receive(ctx); return err },
				func(s *strand.Strand) error { return c.Send(s, 1) }
		}},
		{"send", func(*testing.T, *strand.Strand) (func(context.Context) error, func(*strand.Strand) error) {
			c := strand.NewChan[int](0)
			return func(ctx context.Context) error { return c.Send(ctx, 1) },
				func(s *strand.Strand) error { _, err := c.Receive(s); return err }
		}},
		{"select", func(*testing.T, *strand.Strand) (func(context.Context) error, func(*strand.Strand) error) {
			c := strand.NewChan[int](0)
			return func(ctx context.Context) error {
				_, err := strand.Select(ctx, c.ToReceive(nil), strand.After(time.Hour))
				return err
			}, func(s *strand.Strand) error { return c.Send(s, 1) }
		}},
		{"mutex", func(t *testing.T, s *strand.Strand) (func(context.Context) error, func(*strand.Strand) error) {
			var mu strand.Mutex
			if err := mu.Lock(s); err != nil {
				t.Error(err)
			}
			return mu.Lock, func(s *strand.Strand) error { return mu.Unlock(s) }
		}},
		{"wait group", func(t *testing.T, s *strand.Strand) (func(context.Context) error, func(*strand.Strand) error) {
			var all strand.WaitGroup
			if err := all.Add(s, 1); err != nil {
				t.Error(err)
			}
			return all.Wait, func(s *strand.Strand) error { return all.Done(s) }
		}},
		{"join", func(t *testing.T, s *strand.Strand) (func(context.Context) error, func(*strand.Strand) error) {
			other, err := strand.Go(s, (*strand.Strand).Park)
			if err != nil {
				t.Error(err)
			}
			return other.Join, func(s *strand.Strand) error { other.Unpark(s); return nil }
		}},
		{"pipe", func(*testing.T, *strand.Strand) (func(context.Context) error, func(*strand.Strand) error) {
			one, two := strand.Pipe()
			return func(ctx context.Context) error { _, err := one.ReadLine(ctx); return err },
				func(s *strand.Strand) error { return two.WriteLine(s, "hello") }
		}},
		{"accept", func(t *testing.T, s *strand.Strand) (func(context.Context) error, func(*strand.Strand) error) {
			l, err := strand.Listen(s, "tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = l.Close() })
			return func(ctx context.Context) error {
					c, err := l.Accept(ctx)
					if err == nil {
						err = c.Close()
					}
					return err
				}, func(s *strand.Strand) error {
					c, err := strand.Dial(s, "tcp", l.Addr().String())
					if err == nil {
						err = c.Close()
					}
					return err
				}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			run(t, 1, func(s *strand.Strand) error {
				wait, end := c.make(t, s)
				waits := false
				other, err := strand.Go(s, func(*strand.Strand) error {
					waits = true
					return wait(s)
				})
				if err != nil {
					return err
				}
				for !waits {
					s.Yield()
				}
				if err := end(s); err != nil {
					return err
				}
				return other.Join(s)
			})
		})
	}
}

// TestEndOfTheContextOfAnotherStrand cancels what the wait was given, which is
// another strand's.
func TestEndOfTheContextOfAnotherStrand(t *testing.T) {
	run(t, 1, func(s *strand.Strand) error {
		ctx, cancel := context.WithCancelCause(s)
		defer cancel(nil)
		waits := false
		other, err := strand.Go(s, func(*strand.Strand) error {
			waits = true
			_, err := strand.NewChan[int](0).Receive(ctx)
			return err
		})
		if err != nil {
			return err
		}
		for !waits {
			s.Yield()
		}
		cancel(errBroken)
		is(t, other.Join(s), errBroken)
		return nil
	})
}
