package library

import (
	"github.com/troupe-go/troupe/bench/internal/savina"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

func radixSort(r *suite.Run, s Stage) (int64, error) {
	order, done := savina.NewOrder(r.N), make(chan struct{})
	next := s.Spawn(func(_ Self, m any) {
		if v, ok := m.(int); ok && order.Take(v) {
			close(done)
		}
	})
	for bit := r.Size - 1; bit >= 0; bit-- {
		next = s.Spawn(sortDigit(savina.NewDigit(bit, r.N), next))
	}
	source := s.Spawn(func(self Self, m any) {
		if _, ok := m.(start); ok {
			for i := range r.N {
				self.Send(next, savina.Value(i, r.Size))
			}
		}
	})
	r.Start()
	s.Send(source, start{})
	<-done
	r.Stop()
	return order.Sum()
}

func sortDigit(d savina.Digit, next Address) Receive {
	return func(self Self, m any) {
		v, ok := m.(int)
		if !ok {
			return
		}
		if d.Pass(v) {
			self.Send(next, v)
		}
		for _, v := range d.Rest() {
			self.Send(next, v)
		}
	}
}

func sieve(r *suite.Run, s Stage) (sum int64, err error) {
	result := make(chan int, 1)
	r.Start()
	for range r.N {
		first := s.Spawn(link(savina.NewFilter(r.Size), result))
		err := savina.Candidates(r.Size, func(v int) error { s.Send(first, v); return nil })
		if err != nil {
			return sum, err
		}
		sum += int64(<-result)
	}
	r.Stop()
	return sum, nil
}

func link(f savina.Filter, result chan<- int) Receive {
	var next Address
	return func(self Self, m any) {
		v, ok := m.(int)
		switch {
		case !ok:
			return
		case v == savina.LastNumber && next == nil:
			result <- f.Count()
			self.Stop()
		case v == savina.LastNumber:
			self.Send(next, v)
			self.Stop()
		case f.Pass(v):
			if next == nil {
				next = self.Spawn(link(f.Next(), result))
			}
			self.Send(next, v)
		}
	}
}

type (
	grown  struct{}
	visit  struct{}
	summed int64
)

// branch is a node of the tree.
type branch struct {
	savina.Node
	parent   Address      // Nil for the root.
	result   chan<- int64 // Of the root.
	children []Address
	waiting  int
	sum      int64
}

func (b *branch) receive(self Self, m any) {
	switch m := m.(type) {
	case start:
		for n := range b.Children {
			child := self.Spawn((&branch{Node: n, parent: self.Address()}).receive)
			b.children = append(b.children, child)
			self.Send(child, start{})
		}
		if b.waiting = len(b.children); b.waiting == 0 {
			b.up(self, grown{})
		}
	case grown:
		if b.waiting--; b.waiting == 0 {
			b.up(self, grown{})
		}
	case visit:
		b.sum, b.waiting = b.Work(), len(b.children)
		for _, c := range b.children {
			self.Send(c, visit{})
		}
		b.finish(self)
	case summed:
		b.sum += int64(m)
		b.waiting--
		b.finish(self)
	}
}

func (b *branch) up(self Self, m any) {
	if b.parent == nil {
		b.result <- b.sum
	} else {
		self.Send(b.parent, m)
	}
}

func (b *branch) finish(self Self) {
	if b.waiting == 0 {
		b.up(self, summed(b.sum))
		self.Stop()
	}
}

func cobweb(r *suite.Run, s Stage) (sum int64, err error) {
	result := make(chan int64, 1)
	r.Start()
	for range r.N {
		root := s.Spawn((&branch{Node: savina.Root(r.Size), result: result}).receive)
		s.Send(root, start{})
		<-result
		s.Send(root, visit{})
		sum += <-result
	}
	r.Stop()
	return sum, nil
}
