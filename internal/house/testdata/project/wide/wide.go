// Package wide has types with methods.
package wide

type wide struct {
	_    [8]int
	a, b int
	narrow
}

func (w *wide) one()      {}
func (w wide) two()       {}
func three(_ *wide)       {}
func notByValue(_ wide)   {}
func notSecond(_, _ *int) {}

type narrow struct{}

func (narrow) one() {}

type pair[K, V any] struct{}

func (p *pair[K, V]) one()        {}
func two[K, V any](_ *pair[K, V]) {}
