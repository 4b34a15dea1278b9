package queues_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/internal/workers/queues"
)

var priority = rapid.SampledFrom([]queues.Priority{queues.High, queues.Normal, queues.Low})

// TestOwnQueuesMatchTheirCounts compares the figures of a worker's queues with counts of the work in them.
func TestOwnQueuesMatchTheirCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q queues.Own[piece]
		q.Init(1<<12, 1<<12, 1<<12)
		var local [queues.Priorities]int
		first, branches, placed, pinned := 0, 0, 0, 0
		t.Repeat(map[string]func(*rapid.T){
			"push": func(t *rapid.T) {
				p := priority.Draw(t, "priority")
				if q.Local[p].Push(&piece{}) { // With invariants it is soon full.
					local[p]++
				}
			},
			"interrupt": func(*rapid.T) {
				if q.First.Push(&piece{}) {
					first++
				}
			},
			"fork": func(*rapid.T) {
				if q.Branches.Push(&piece{}) {
					branches++
				}
			},
			"place": func(t *rapid.T) {
				q.Inbox.Push(&piece{}, priority.Draw(t, "priority"), queues.Placed)
				placed++
			},
			"pin": func(t *rapid.T) {
				q.Inbox.Push(&piece{}, priority.Draw(t, "priority"), queues.Pinned)
				pinned++
			},
			"steal": func(t *rapid.T) {
				tier := priority.Draw(t, "tier")
				x, p := q.StealOldest(tier)
				switch {
				case tier == queues.Low && placed > 0:
					placed--
				case x != nil:
					for more := queues.High; more < p; more++ {
						if local[more] > 0 {
							t.Fatalf("work of priority %d is stolen before priority %d", p, more)
						}
					}
					local[p]--
				default:
					for p := queues.High; p <= tier; p++ {
						if local[p] > 0 {
							t.Fatalf("priority %d is not stolen", p)
						}
					}
				}
			},
			"steal all": func(*rapid.T) {
				n := 0
				q.StealAll(func(x *piece) {
					if n++; x.ran != 0 {
						t.Fatal("a piece is stolen twice")
					}
					x.ran++
				})
				if want := local[1] + local[2] + local[3] + placed + pinned; n != want {
					t.Fatalf("%d of %d are stolen", n, want)
				}
				local, placed, pinned = [queues.Priorities]int{}, 0, 0
			},
			"": func(t *rapid.T) {
				sum := first + branches + placed + pinned
				mask := uint32(0)
				longest := max(2*(first+branches), placed)
				for p := queues.High; p < queues.Priorities; p++ {
					sum += local[p]
					longest = max(longest, local[p])
					if local[p] > 0 {
						mask |= p.Bit()
					}
					if got, want := q.HasMoreUrgent(p), mask&(p.Bit()-1) != 0; got != want {
						t.Fatalf("work before priority %d: %t", p, got)
					}
				}
				if first+branches+placed > 0 {
					mask |= queues.Low.Bit()
				}
				lengths := 0
				for _, n := range q.Lengths() {
					lengths += n
				}
				if q.Pieces() != sum || lengths != sum-branches || q.Empty() != (sum == 0) {
					t.Fatalf("%d pieces, lengths of %d, empty %t; want %d with %d branches", q.Pieces(), lengths, q.Empty(), sum, branches)
				}
				if q.Longest(queues.Low) != longest || q.Stealable() != mask || q.Interrupted() != first {
					t.Fatalf("longest %d, mask %#x, interrupted %d; want %d, %#x, %d",
						q.Longest(queues.Low), q.Stealable(), q.Interrupted(), longest, mask, first)
				}
			},
		})
	})
}

// TestInboxFirst has work in an inbox, and as urgent, more urgent or less urgent work elsewhere.
func TestInboxFirst(t *testing.T) {
	for p := queues.High; p < queues.Priorities; p++ {
		for elsewhere := queues.High; elsewhere < queues.Priorities; elsewhere++ {
			for _, shared := range []bool{false, true} {
				var q queues.Own[piece]
				q.Init(8, 8, 8)
				q.Inbox.Push(&piece{}, p, queues.Pinned)
				waiting := uint32(0)
				if shared {
					waiting = elsewhere.Bit()
				} else {
					q.Local[elsewhere].Push(&piece{})
				}
				mine := q.Inbox.Mask()
				even, odd := q.InboxFirst(mine, waiting, true), q.InboxFirst(mine, waiting, false)
				if even != (p <= elsewhere) || odd != (p < elsewhere) {
					t.Errorf("priority %d in the inbox and %d elsewhere (shared: %t): first %t on even turns, %t on odd ones", p, elsewhere, shared, even, odd)
				}
				q.First.Push(&piece{})
				if q.InboxFirst(mine, waiting, true) {
					t.Errorf("priority %d in the inbox goes before interrupted work", p)
				}
				q.Inbox.Push(&piece{}, queues.Critical, queues.Pinned)
				if !q.InboxFirst(q.Inbox.Mask(), waiting, false) {
					t.Error("critical work in the inbox does not go first")
				}
			}
		}
	}
}

// Work that has been in a queue since a time is all before the position that is due then, and younger work is not, up to
// the time between two marks.
func TestMarksDivideAQueueByAge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const each = 10
		var m queues.Marks
		var came []time.Duration // Of all elements, by position.
		begin, now := 0, time.Duration(0)
		t.Repeat(map[string]func(*rapid.T){
			"push": func(*rapid.T) { came = append(came, now) },
			"pop":  func(*rapid.T) { begin = min(begin+1, len(came)) },
			"tick": func(t *rapid.T) {
				now += each
				age := time.Duration(rapid.IntRange(0, 5).Draw(t, "ages")) * each
				{
					end := m.Due(now-age, int64(begin))
					for i := int64(begin); i < end; i++ {
						if came[i] > now-age {
							t.Fatalf("at %v element %d of %v is due after %v", now, i, came[i], age)
						}
					}
				}
				m.Set(now, int64(begin), int64(len(came)))
			},
		})
	})
}
