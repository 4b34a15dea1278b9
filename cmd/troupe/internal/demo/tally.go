package demo

// A Tally adds up what became of the files.
type Tally struct {
	Files   int // Counted ones only.
	Bytes   int64
	Words   int64
	Retries int
	Skipped Skipped
	Done    int // The files that are accounted for, whether they were counted or not.
	Total   int // The files that there are to account for, or zero while nobody knows.
}

func (t *Tally) add(o outcome) {
	if o.walked {
		t.Done++
	}
	t.Retries += o.retries
	if o.why != Counted {
		t.Skipped[o.why]++
		return
	}
	t.Files++
	t.Bytes += int64(o.bytes)
	t.Words += int64(o.words)
}
