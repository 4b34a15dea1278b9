package shards

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/troupe-go/troupe/engine"
)

const (
	maxShards   = 1 << 16
	maxCapacity = 100
)

// The keys of the table. A shard has "shard.N", and "move.N" once somebody has asked for a move; a host has "host.NAME".
const (
	countKey       = "count"
	coordinatorKey = "coordinator"
	shardPrefix    = "shard."
	movePrefix     = "move."
	hostPrefix     = "host."
)

func shardKey(shard int) string { return shardPrefix + strconv.Itoa(shard) }
func moveKey(shard int) string  { return movePrefix + strconv.Itoa(shard) }

// birth is one life of a node.
type birth struct {
	Node  string `json:"node"`
	Birth uint64 `json:"birth"`
}

// owner is the value of a shard's entry, and of a proposal to move one.
type owner struct {
	birth

	// Pinned says that the shard was moved by hand, so that it is not moved for balance.
	Pinned bool `json:"pinned,omitempty"`
	// At is the revision of the entry that a proposal is about; 0 in the entry of a shard.
	At uint64 `json:"at,omitempty"`
}

// hosting is the value of a host's entry.
type hosting struct {
	Birth    uint64            `json:"birth"`
	Capacity int               `json:"capacity"`
	Labels   map[string]string `json:"labels,omitempty"`
	Leaving  bool              `json:"leaving,omitempty"`
}

// count is the value of the entry with the number of shards.
type count struct {
	Shards int `json:"shards"`
}

func encode(value any) ([]byte, error) { return json.Marshal(value) }

func decode[T any](e engine.Entry) (value T, err error) {
	if err := json.Unmarshal(e.Value, &value); err != nil {
		return value, fmt.Errorf("shards: the entry %q at revision %d is none of shards: %w; use a table of its own", e.Key, e.Revision, err)
	}
	return value, nil
}

// numbered returns the number in a key.
func numbered(key, prefix string, below int) (shard int, ok bool) {
	number, ok := strings.CutPrefix(key, prefix)
	if !ok {
		return 0, false
	}
	shard, err := strconv.Atoi(number)
	return shard, err == nil && shard >= 0 && shard < below
}
