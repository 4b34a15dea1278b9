package savina

import (
	"math/rand/v2"

	"github.com/troupe-go/troupe/internal/bench/suite"
)

var dictionary = suite.Workload{
	Name: Dictionary, Family: suite.Actors, Baseline: channels, Unit: "ns/request", Size: 20, TinySize: 4, Step: 20,
	About: "20 actors read and write, 9 to 1, what one actor keeps in a map (Savina); the result is the right answers: " +
		"each has keys of its own and knows what they should hold",
}

// ownKeys is how many keys each client has.
const ownKeys = 32

// Client is one that uses the dictionary.
type Client struct {
	Right  int64 // Answers.
	base   int
	random *rand.Rand
	values [ownKeys]int
	expect int
}

// NewClient returns client i.
func NewClient(i int) *Client { return &Client{base: i * ownKeys, random: random(i)} }

// Request is a read or a write. A write is answered by what it has written.
type Request struct {
	Key, Value int
	Write      bool
}

// Next returns what to ask next.
func (c *Client) Next() Request {
	x := c.random.Uint32()
	own := int(x % ownKeys)
	q := Request{Key: c.base + own}
	if q.Write = x>>8%10 == 0; q.Write {
		q.Value = int(x >> 12)
		c.values[own] = q.Value
	}
	c.expect = c.values[own]
	return q
}

// Check notes the answer to the last request.
func (c *Client) Check(answer int) {
	if answer == c.expect {
		c.Right++
	}
}

// Do answers the request from a dictionary.
func (q Request) Do(d map[int]int) int {
	if q.Write {
		d[q.Key] = q.Value
	}
	return d[q.Key]
}
