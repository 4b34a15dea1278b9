package fiberindex

// Counts returns how many fibers have entered and not left, how many places are in use, as counted and in fact, and how
// many there are.
func (x *Index) Counts() (live, used, found, places int) {
	t := x.table.Load()
	if t == nil {
		return 0, 0, 0, 0
	}
	for i := range t.groups {
		for tags := t.groups[i].tags.Load() & (ones * 0xff); tags != 0; tags >>= 8 {
			if tags&0xff != 0 {
				found++
			}
		}
	}
	return x.live, x.used, found, groupSize * len(t.groups)
}
