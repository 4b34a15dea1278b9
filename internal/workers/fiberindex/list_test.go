package fiberindex_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/internal/workers/fiberindex"
)

type fiber struct {
	number int
	link   fiberindex.Link[fiber]
}

// Elements come and go while visits and a round are under way. Each visit sees each element that is there all the time
// once, and no element that is gone.
func TestList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l fiberindex.List[fiber]
		l.Init(func(f *fiber) *fiberindex.Link[fiber] { return &f.link })
		type visit struct {
			v    *fiberindex.Visit[fiber]
			owed map[*fiber]bool // Not seen yet.
			seen map[*fiber]bool
		}
		live := map[*fiber]bool{}
		visits := []*visit{}
		patrolled, owed := map[*fiber]bool{}, map[*fiber]bool{}
		made, now := 0, time.Duration(0)
		inOrder := func() []*fiber {
			return slices.SortedFunc(maps.Keys(live), func(a, b *fiber) int { return a.number - b.number })
		}
		look := func(v *visit) func(*fiber) {
			return func(f *fiber) {
				if !live[f] || v.seen[f] {
					t.Fatalf("fiber %d is seen though it is gone or was seen before", f.number)
				}
				v.seen[f] = true
				delete(v.owed, f)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"add": func(*rapid.T) {
				made++
				f := &fiber{number: made}
				live[f] = true
				l.Add(f)
			},
			"remove": func(t *rapid.T) {
				if len(live) == 0 {
					return
				}
				f := rapid.SampledFrom(inOrder()).Draw(t, "fiber")
				delete(live, f)
				delete(owed, f)
				for _, v := range visits {
					delete(v.owed, f)
				}
				l.Remove(f)
			},
			"begin a visit": func(*rapid.T) {
				visits = append(visits, &visit{l.BeginVisit(), maps.Clone(live), map[*fiber]bool{}})
			},
			"visit": func(t *rapid.T) {
				if len(visits) == 0 {
					return
				}
				i := rapid.IntRange(0, len(visits)-1).Draw(t, "visit")
				v := visits[i]
				if l.VisitSome(v.v, rapid.IntRange(1, 5).Draw(t, "n"), look(v)) {
					return
				}
				if len(v.owed) != 0 {
					t.Fatalf("%d fibers were not visited", len(v.owed))
				}
				l.EndVisit(v.v)
				visits = slices.Delete(visits, i, i+1)
			},
			"patrol": func(t *rapid.T) {
				const every = 10
				now += time.Duration(rapid.IntRange(0, every).Draw(t, "time"))
				n := 0
				l.Patrol(now, every, 3, func(f *fiber) {
					if n++; !live[f] || n > 3 {
						t.Fatalf("fiber %d is seen as number %d", f.number, n)
					}
					if patrolled[f] { // The next round.
						if len(owed) != 0 {
							t.Fatalf("a round left %d fibers out", len(owed))
						}
						clear(patrolled)
						owed = maps.Clone(live)
					}
					patrolled[f] = true
					delete(owed, f)
				})
			},
			"": func(t *rapid.T) {
				n := 0
				l.Each(func(f *fiber) {
					if n++; !live[f] {
						t.Fatalf("fiber %d is in the list", f.number)
					}
				})
				v := &visit{owed: maps.Clone(live), seen: map[*fiber]bool{}}
				l.Visit(look(v))
				if n != len(live) || len(v.owed) != 0 {
					t.Fatalf("%d fibers are listed, and %d not visited, of %d", n, len(v.owed), len(live))
				}
			},
		})
	})
}
