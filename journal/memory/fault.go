package memory

import "github.com/troupe-go/troupe/journal"

// Fault is what happens to one commit.
type Fault uint8

// The faults.
const (
	None        Fault = iota // The commit is made.
	Refuse                   // It fails, and nothing is stored.
	LoseAnswer               // It is made, and the answer is lost: journal.ErrUnknownOutcome.
	CrashBefore              // The store crashes and has nothing of the commit.
	CrashAfter               // The store crashes and has all of it.
)

// Inject has f decide what happens to each commit that follows. It is called with the
// store locked and must not use it. A nil f ends that.
func (s *Store) Inject(f func(batch []*journal.Write) Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inject = f
}
