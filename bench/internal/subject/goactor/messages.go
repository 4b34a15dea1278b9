package goactor

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"github.com/vladopajic/go-actor/actor"

	"github.com/troupe-go/troupe/bench/internal/workload"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

const capacity = 1024

// failure keeps the first error of sends that happen inside actors.
type failure struct{ err atomic.Pointer[error] }

func (f *failure) note(err error) {
	if err != nil {
		f.err.CompareAndSwap(nil, &err)
	}
}

func (f *failure) get() error {
	if err := f.err.Load(); err != nil {
		return *err
	}
	return nil
}

// passOn lets size actors pass a ball round until it has been handled r.N times.
func passOn(r *suite.Run, size int) (int64, error) {
	var (
		counts  = make([]int64, size)
		members = make([]member[int], size)
		done    = make(chan struct{})
		failed  failure
	)
	for i := range members {
		members[i] = start(capacity, func(ctx actor.Context, left int) {
			if counts[i]++; left == 0 {
				close(done)
				return
			}
			failed.note(members[(i+1)%size].Send(ctx, left-1))
		})
	}
	r.Start()
	failed.note(members[0].Send(background, r.N-1))
	<-done
	r.Stop()
	endAll(members)
	return total(counts), failed.get()
}

func tell(r *suite.Run, producers int) (int64, error) {
	var (
		sum    int64
		seen   int
		done   = make(chan struct{})
		failed failure
	)
	adder := start(capacity, func(_ actor.Context, m int) {
		sum += int64(m)
		if seen++; seen == r.N {
			close(done)
		}
	})
	share := r.N / producers
	produce := func(p int) {
		for i := range share {
			failed.note(adder.Send(background, p*share+i))
		}
	}
	r.Start()
	if producers == 1 {
		produce(0)
	} else {
		for p := range producers {
			go produce(p)
		}
	}
	<-done
	r.Stop()
	adder.end()
	return sum, failed.get()
}

type question struct {
	of    int
	reply chan int
}

func server() member[question] {
	return start(capacity, func(_ actor.Context, q question) { q.reply <- q.of + 1 })
}

func askAll(ctx actor.Context, n int, to member[question]) (sum int64, err error) {
	reply := make(chan int, 1)
	for i := range n {
		if err := to.Send(ctx, question{i, reply}); err != nil {
			return sum, err
		}
		sum += int64(<-reply)
	}
	return sum, nil
}

func askOutside(r *suite.Run) (int64, error) {
	s := server()
	defer s.end()
	r.Start()
	sum, err := askAll(background, r.N, s)
	r.Stop()
	return sum, err
}

func askInside(r *suite.Run) (int64, error) {
	s := server()
	defer s.end()
	var sum int64
	done := make(chan error, 1)
	asker := start(capacity, func(ctx actor.Context, n int) {
		var err error
		sum, err = askAll(ctx, n, s)
		done <- err
	})
	defer asker.end()
	r.Start()
	err := asker.Send(background, r.N)
	if err == nil {
		err = <-done
	}
	r.Stop()
	return sum, err
}

// mail has whom to answer, or -1 in an answer.
type mail struct{ from int }

func big(r *suite.Run) (int64, error) {
	var (
		members  = make([]member[mail], r.Size)
		pongs    = make([]int64, r.Size)
		pings    = int64(r.N / 2 / r.Size)
		finished sync.WaitGroup
		failed   failure
	)
	finished.Add(r.Size)
	for i := range members {
		random := rand.New(rand.NewPCG(1, uint64(i)))
		members[i] = start(workload.BigOutstanding, func(ctx actor.Context, m mail) {
			if m.from >= 0 {
				failed.note(members[m.from].Send(ctx, mail{-1}))
			} else if pongs[i]++; pongs[i] <= pings {
				failed.note(members[random.IntN(r.Size)].Send(ctx, mail{i}))
			} else {
				finished.Done()
			}
		})
	}
	r.Start()
	for _, m := range members {
		failed.note(m.Send(background, mail{-1})) // The first answer, to nothing, starts the actor.
	}
	finished.Wait()
	r.Stop()
	endAll(members)
	return 2 * (total(pongs) - int64(r.Size)), failed.get()
}
