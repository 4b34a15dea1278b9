package task

// AsDetached is the option by which Detach opens its group.
var AsDetached Option = asDetached

// Slots returns how many tasks the slabs of g have room for.
func Slots[T any](g *Group[T]) (n int) {
	for s := &g.first; s != nil; s = s.next {
		n += len(s.tasks)
	}
	return n
}
