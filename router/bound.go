package router

import "math"

// share is how much of all that waits one routee may have under BoundedHash. It
// is worked out when routees change, since two divisions took a message 8 ns.
type share struct{ of, inverse float64 }

func shareOf(factor float64, routees int) share {
	const exact = 1 + 0x1p-50 // Rounded up: what is equal to the bound is worked out.
	return share{factor / float64(routees), float64(routees) / factor * exact}
}

// bounded returns the owner of a key, or, if that has too much to do, the next
// routee on the ring that has not. With m messages waiting, none of n routees is
// given more than LoadFactor*(m+1)/n, rounded up; some always has less. The
// backlog of each is looked at, but m may come from the last look, see look.
func (c *core[M]) bounded(t *members[M], owner int, hash uint64) int {
	turn := c.turn.Add(1)
	own := t.refs[owner].Backlog()
	if own == 0 || len(t.refs) == 1 {
		return owner
	}
	enough := int(float64(own) * t.share.inverse) // With more in total the owner may have what it has.
	served := t.look.serves(turn)
	total := 0
	switch {
	case served:
		total = t.look.total(turn)
	case own < lookFrom:
		total = t.upTo(enough, owner, own)
	default:
		total = t.all(turn)
	}
	if total > enough {
		return owner
	}
	i := t.below(total, hash)
	if i < 0 && served { // There is more to do than was known.
		i = t.below(t.all(turn), hash)
	}
	if i < 0 { // They have got more since.
		return owner
	}
	return i
}

// upTo returns how much all routees have to do, with one message more, or
// anything above enough. The owner has own.
func (t *members[M]) upTo(enough, owner, own int) int {
	total := own + 1
	for i := range t.refs {
		if total > enough {
			break
		}
		if i != owner {
			total += t.refs[i].Backlog()
		}
	}
	return total
}

// below returns the first routee on the ring, for a key with this hash, that has
// less than its bound if so much is waiting, or -1.
func (t *members[M]) below(total int, hash uint64) int {
	most := int(math.Ceil(t.share.of * float64(total)))
	found := -1
	t.ring().from(hash, func(i int) bool {
		if t.refs[i].Backlog() >= most {
			return false
		}
		found = i
		return true
	})
	return found
}
