package library

import (
	"sync"

	"github.com/troupe-go/troupe/bench/internal/savina"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

// crowd starts n actors, and waits until each has said that it is done.
func crowd(r *suite.Run, s Stage, n int, receive func(i int, done func()) Receive) {
	var all sync.WaitGroup
	all.Add(n)
	actors := spawnN(s, n, func(i int) Receive { return receive(i, all.Done) })
	r.Start()
	for _, a := range actors {
		s.Send(a, start{})
	}
	all.Wait()
	r.Stop()
}

type (
	request struct {
		savina.Request
		from Address
	}
	answer int
)

func dictionary(r *suite.Run, s Stage) (int64, error) {
	d := map[int]int{}
	server := s.Spawn(func(self Self, m any) {
		if q, ok := m.(request); ok {
			self.Send(q.from, answer(q.Do(d)))
		}
	})
	rights := make([]int64, r.Size)
	crowd(r, s, r.Size, func(i int, done func()) Receive {
		c, left := savina.NewClient(i), r.N/r.Size
		return func(self Self, m any) {
			switch m := m.(type) {
			case start:
			case answer:
				if c.Check(int(m)); left == 0 {
					rights[i] = c.Right
					done()
					return
				}
			default:
				return
			}
			left--
			self.Send(server, request{c.Next(), self.Address()})
		}
	})
	return total(rights), nil
}

type (
	hungry struct {
		who  int
		from Address
	}
	forks bool // Whether the hungry got them.
	eaten int  // The philosopher that has eaten.
)

func philosophers(r *suite.Run, s Stage) (int64, error) {
	table, left, end := savina.NewTable(r.Size), r.N, make(chan struct{})
	waiter := s.Spawn(func(self Self, m any) {
		switch m := m.(type) {
		case hungry:
			self.Send(m.from, forks(table.Take(m.who)))
		case eaten:
			table.Put(int(m))
			if left--; left == 0 {
				close(end)
			}
		}
	})
	crowd(r, s, r.Size, func(i int, done func()) Receive {
		meals := r.N / r.Size
		return func(self Self, m any) {
			switch m := m.(type) {
			case start:
			case forks:
				if m {
					meals--
					self.Send(waiter, eaten(i))
				}
				if meals == 0 {
					done()
					return
				}
			default:
				return
			}
			self.Send(waiter, hungry{i, self.Address()})
		}
	})
	<-end
	return table.Meals()
}

type (
	customer struct{ from Address }
	haircut  struct{ had bool } // False if there was no chair.
	idle     struct{}           // The barber.
)

func sleepingBarber(r *suite.Run, k int, s Stage) (int64, error) {
	var shop Address
	barber := s.Spawn(func(self Self, m any) {
		if c, ok := m.(customer); ok {
			savina.Cut()
			self.Send(c.from, haircut{true})
			self.Send(shop, idle{})
		}
	})
	shop = s.Spawn(waitingRoom(barber, savina.Chairs(r.Size)))
	cuts := make([]int64, k)
	crowd(r, s, k, func(i int, done func()) Receive {
		return func(self Self, m any) {
			switch m := m.(type) {
			case start:
			case haircut:
				if m.had {
					cuts[i]++
					done()
					return
				}
			default:
				return
			}
			self.Send(shop, customer{self.Address()})
		}
	})
	return total(cuts), nil
}

func waitingRoom(barber Address, chairs int) Receive {
	var waiting []customer
	asleep := true
	return func(self Self, m any) {
		switch m := m.(type) {
		case idle:
			if asleep = len(waiting) == 0; !asleep {
				self.Send(barber, waiting[0])
				waiting = waiting[1:]
			}
		case customer:
			switch {
			case asleep:
				asleep = false
				self.Send(barber, m)
			case len(waiting) == chairs:
				self.Send(m.from, haircut{false})
			default:
				waiting = append(waiting, m)
			}
		}
	}
}
