package strand_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/strand"
)

func ExampleRun() {
	err := strand.Run(context.Background(), sched.Config{Workers: 1}, func(s *strand.Strand) error {
		var all strand.WaitGroup
		for _, name := range []string{"ann", "bob"} {
			if _, err := all.Go(s, func(s *strand.Strand) error {
				for i := range 2 {
					fmt.Println(name, i)
					s.Yield()
				}
				return nil
			}); err != nil {
				return err
			}
		}
		return all.Wait(s)
	})
	fmt.Println(err)
	// Output:
	// ann 0
	// bob 0
	// ann 1
	// bob 1
	// <nil>
}

// A generator is a strand that sends what somebody asks for.
func ExampleChan_generator() {
	_ = strand.Run(context.Background(), sched.Config{}, func(s *strand.Strand) error {
		numbers := strand.NewChan[int](0)
		ctx, cancel := context.WithCancel(s)
		defer cancel() // It ends with who has started it.
		if _, err := strand.Go(ctx, func(s *strand.Strand) error {
			a, b := 0, 1
			for {
				if err := numbers.Send(s, a); err != nil {
					return err
				}
				a, b = b, a+b
			}
		}); err != nil {
			return err
		}
		for n := range numbers.All(s) {
			if n > 50 {
				break
			}
			fmt.Print(n, " ")
		}
		fmt.Println()
		return nil
	})
	// Output: 0 1 1 2 3 5 8 13 21 34
}

// A pipeline is a strand for each stage, and a channel between two.
func ExampleChan_pipeline() {
	stage := func(in *strand.Chan[int], f func(int) int) func(s *strand.Strand) (*strand.Chan[int], error) {
		return func(s *strand.Strand) (*strand.Chan[int], error) {
			out := strand.NewChan[int](4)
			_, err := strand.Go(s, func(s *strand.Strand) error {
				for v := range in.All(s) {
					if err := out.Send(s, f(v)); err != nil {
						return err
					}
				}
				return out.Close(s)
			})
			return out, err
		}
	}
	_ = strand.Run(context.Background(), sched.Config{}, func(s *strand.Strand) error {
		in := strand.NewChan[int](4)
		squares, err := stage(in, func(v int) int { return v * v })(s)
		if err != nil {
			return err
		}
		out, err := stage(squares, func(v int) int { return v + 1 })(s)
		if err != nil {
			return err
		}
		if _, err := strand.Go(s, func(s *strand.Strand) error {
			for v := range 5 {
				if err := in.Send(s, v); err != nil {
					return err
				}
			}
			return in.Close(s)
		}); err != nil {
			return err
		}
		for v := range out.All(s) {
			fmt.Print(v, " ")
		}
		fmt.Println()
		return nil
	})
	// Output: 1 2 5 10 17
}

func ExampleStrand_Join() {
	err := strand.Run(context.Background(), sched.Config{}, func(s *strand.Strand) error {
		other, err := strand.Go(s, func(*strand.Strand) error { panic("oh") })
		if err != nil {
			return err
		}
		err = other.Join(s)
		var panicked *sched.PanicError
		fmt.Println(err, errors.As(err, &panicked))
		return nil
	})
	fmt.Println(err)
	// Output:
	// panic: oh true
	// <nil>
}

func ExampleSelect() {
	_ = strand.Run(context.Background(), sched.Config{}, func(s *strand.Strand) error {
		news, quit := strand.NewChan[string](1), strand.NewChan[bool](0)
		if err := news.Send(s, "rain"); err != nil {
			return err
		}
		var text string
		for {
			switch at, err := strand.Select(s, news.ToReceive(&text), quit.ToReceive(nil), strand.After(time.Millisecond)); {
			case err != nil:
				return err
			case at == 0:
				fmt.Println("news:", text)
			case at == 1:
				return nil
			default:
				fmt.Println("no news")
				return nil
			}
		}
	})
	// Output:
	// news: rain
	// no news
}

func ExampleMutex() {
	_ = strand.Run(context.Background(), sched.Config{}, func(s *strand.Strand) error {
		var mu strand.Mutex
		var all strand.WaitGroup
		balance := 100
		for range 4 {
			if _, err := all.Go(s, func(s *strand.Strand) error {
				if err := mu.Lock(s); err != nil {
					return err
				}
				seen := balance
				s.Yield() // The others don't come in between.
				balance = seen - 10
				return mu.Unlock(s)
			}); err != nil {
				return err
			}
		}
		err := all.Wait(s)
		fmt.Println(balance, err)
		return err
	})
	// Output: 60 <nil>
}
