package strand_test

import (
	"context"
	"fmt"

	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/strand"
)

// Strands print whole lines, though the terminal may be slow: one strand prints, and the
// others send it their lines. One that finds the channel full waits, and holds no worker.
func ExampleChan_printing() {
	_ = strand.Run(context.Background(), sched.Config{Workers: 1}, func(s *strand.Strand) error {
		lines := strand.NewChan[string](2)
		printer, err := strand.Go(s, func(s *strand.Strand) error {
			for line := range lines.All(s) {
				fmt.Println(line)
			}
			return nil
		})
		if err != nil {
			return err
		}
		var all strand.WaitGroup
		for _, name := range []string{"ann", "bob"} {
			if _, err := all.Go(s, func(s *strand.Strand) error {
				for i := range 2 {
					if err := lines.Send(s, fmt.Sprint(name, " prints line ", i)); err != nil {
						return err
					}
				}
				return nil
			}); err != nil {
				return err
			}
		}
		if err := all.Wait(s); err != nil {
			return err
		}
		if err := lines.Close(s); err != nil {
			return err
		}
		return printer.Join(s)
	})
	// Unordered output:
	// ann prints line 0
	// ann prints line 1
	// bob prints line 0
	// bob prints line 1
}

// Strands that print to one place take turns by a mutex, so the lines of one stay together.
func ExampleMutex_printing() {
	_ = strand.Run(context.Background(), sched.Config{}, func(s *strand.Strand) error {
		var mu strand.Mutex
		var all strand.WaitGroup
		for _, name := range []string{"ann", "bob"} {
			if _, err := all.Go(s, func(s *strand.Strand) error {
				if err := mu.Lock(s); err != nil {
					return err
				}
				fmt.Printf("%s: one\n", name)
				s.Yield() // The other strand can't print here.
				fmt.Printf("%s: two\n", name)
				return mu.Unlock(s)
			}); err != nil {
				return err
			}
		}
		return all.Wait(s)
	})
	// Unordered output:
	// ann: one
	// ann: two
	// bob: one
	// bob: two
}
