package membership

import (
	"encoding/json"
	"fmt"

	"github.com/troupe-go/troupe/engine"
)

// entry is the value of a key of the table.
type entry struct {
	// Token is made at random by each Join. It tells a node its own writes.
	Token string `json:"token"`
	// Birth is 0 in the first write, whose revision is the birth.
	Birth  uint64            `json:"birth,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
	// Capacity is 0 for a node that has not said one.
	Capacity int `json:"capacity,omitempty"`
	// Ended is empty while the node lives.
	Ended string `json:"ended,omitempty"`
	// Left says that the node has ended its entry itself.
	Left bool `json:"left,omitempty"`
}

func (e entry) encode() ([]byte, error) { return json.Marshal(e) }

// decode reads the value of an entry. The birth of a first write is its revision.
func decode(from engine.Entry) (entry, error) {
	var e entry
	if err := json.Unmarshal(from.Value, &e); err != nil {
		return e, fmt.Errorf("membership: the entry of node %q at revision %d is no member: %w; use a table of its own", from.Key, from.Revision, err)
	}
	if e.Birth == 0 {
		e.Birth = from.Revision
	}
	if e.Capacity <= 0 || e.Capacity > maxCapacity {
		e.Capacity = 1
	}
	return e, nil
}
