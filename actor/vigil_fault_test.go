//go:build !modelcheck && !race && !invariants

package actor_test

import "github.com/troupe-go/troupe/internal/planted"

var vigilFaults = planted.Group{
	Run: "^TestVigilFindsHandlersInTime$",
	Faults: []planted.Fault{
		{
			Name: "the longest time says how often is looked",
			File: "vigil.go",
			Old:  "g != 0 && g <= int64(d)",
			New:  "g != 0 && g >= int64(d)",
			Want: "FAIL",
			Run:  "^TestVigilFindsHandlersInTime$",
		},
		{
			Name: "a handler has begun when the one before it had",
			File: "vigil.go",
			Old:  "		s.seen, s.since, s.done = n, now, 0\n		return false\n",
			New:  "		s.seen, s.done = n, 0\n		return false\n",
			Want: "FAIL",
			Run:  "^TestVigilFindsHandlersInTime$",
		},
		{
			Name: "a vigil that has ended is taken for awake",
			File: "vigil.go",
			Old:  "	v.awake.Store(false)\n	if v.look() {\n",
			New:  "	if v.look() {\n",
			Want: "FAIL",
			Run:  "^TestVigilFindsHandlersInTime$",
		},
		{
			Name: "a handler is found again and again",
			File: "vigil.go",
			Old:  "	return todo &^ s.done\n",
			New:  "	return todo\n",
			Want: "FAIL",
			Run:  "^TestVigilFindsHandlersInTime$",
		},
	},
}
