package steal

import "fmt"

// Act is something that can be done to the scheduler while it runs.
type Act uint8

// The acts.
const (
	Critical  Act = iota // Submit critical jobs.
	Block                // Submit a job that blocks its worker.
	Spin                 // Submit a job that loops without a checkpoint.
	Unbalance            // Flood one worker with jobs.
	Switch               // Change the strategy by which workers steal.
	Pause                // Stop feeding jobs, or go on.
	More                 // Feed more jobs.
	Less                 // Feed fewer.

	numActs
)

// acts has the key of each act, and what it does in a few words.
var acts = [numActs]struct {
	key  rune
	name string
	does string
}{
	Critical:  {'c', "critical", "submit 10 critical jobs"},
	Block:     {'b', "block", "block a worker for 3 s"},
	Spin:      {'s', "spin", "loop on a worker for 3 s, without a checkpoint"},
	Unbalance: {'u', "unbalance", "flood one worker with 10,000 jobs of 10 µs"},
	Switch:    {'t', "strategy", "steal by the next strategy"},
	Pause:     {'p', "pause", "stop feeding jobs, or go on"},
	More:      {'+', "more", "feed more jobs"},
	Less:      {'-', "less", "feed fewer jobs"},
}

// String returns the act's name.
func (a Act) String() string {
	if a < numActs {
		return acts[a].name
	}
	return fmt.Sprintf("Act(%d)", uint8(a))
}

// ActOf returns the act of a key.
func ActOf(key rune) (Act, bool) {
	if key == '=' { // The key of the plus sign, without shift.
		key = '+'
	}
	for a, act := range acts {
		if act.key == key {
			return Act(a), true
		}
	}
	return 0, false
}

// Acts returns the acts of a row of keys.
func Acts(keys string) ([]Act, error) {
	var all []Act
	for _, key := range keys {
		a, ok := ActOf(key)
		if !ok {
			return nil, fmt.Errorf("no act has the key %q; the keys are %s", key, actKeys())
		}
		all = append(all, a)
	}
	return all, nil
}

func actKeys() (keys string) {
	for _, act := range acts {
		keys += string(act.key)
	}
	return keys
}
