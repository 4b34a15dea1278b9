package library

import (
	"github.com/troupe-go/troupe/bench/internal/savina"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

type (
	arrival struct {
		from   Address
		colour savina.Colour
	}
	meeting   struct{ other savina.Colour }
	closing   struct{}
	departure struct{ remembered int64 }
)

func chameneos(r *suite.Run, s Stage) (int64, error) {
	result := make(chan int64, 1)
	place := s.Spawn(mall(r, result))
	creatures := spawnN(s, r.Size, func(i int) Receive {
		colour, remembered := savina.ColourOf(i), int64(0)
		return func(self Self, m any) {
			switch m := m.(type) {
			case start:
			case meeting:
				colour = colour.Meet(m.other)
				remembered++
			case closing:
				self.Send(place, departure{remembered})
				return
			default:
				return
			}
			self.Send(place, arrival{self.Address(), colour})
		}
	})
	r.Start()
	for _, c := range creatures {
		s.Send(c, start{})
	}
	sum := <-result
	r.Stop()
	return sum, nil
}

func mall(r *suite.Run, result chan<- int64) Receive {
	meetings, left, remembered := r.N, r.Size, int64(0)
	var waiting arrival
	return func(self Self, m any) {
		switch m := m.(type) {
		case departure:
			remembered += m.remembered
			if left--; left == 0 {
				result <- remembered
			}
		case arrival:
			switch {
			case meetings == 0:
				self.Send(m.from, closing{})
			case waiting.from == nil:
				waiting = m
			default:
				meetings--
				self.Send(waiting.from, meeting{m.colour})
				self.Send(m.from, meeting{waiting.colour})
				waiting.from = nil
			}
		}
	}
}
