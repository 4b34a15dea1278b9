package savina

var PrimesBelow = primesBelow

func (n Node) Total() int64 { return n.total() }
