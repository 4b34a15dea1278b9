package sched_test

import (
	"context"
	"fmt"

	"github.com/troupe-go/troupe/sched"
)

// A search stops when it has looked at as many places as its budget allows, and lets other
// work have its turn meanwhile.
func ExampleNewLimitedBudget() {
	search := func(ctx context.Context, places []int, wanted int) (at int, ok bool) {
		budget := sched.NewLimitedBudget(ctx, 100)
		for i, p := range places {
			if budget.Spent() {
				break
			}
			if p == wanted {
				return i, true
			}
			budget.Spend(1)
		}
		return 0, false
	}
	ctx := context.Background()
	places := make([]int, 1000)
	places[50], places[500] = 1, 2
	fmt.Println(search(ctx, places, 1))
	fmt.Println(search(ctx, places, 2))
	// Output:
	// 50 true
	// 0 false
}
