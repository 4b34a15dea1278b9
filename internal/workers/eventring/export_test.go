package eventring

// AddLate is what Add does when the ring was found valid some time ago.
func (r *Ring[E]) AddLate(e E) { r.add(e) }
