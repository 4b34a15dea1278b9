// Package groups runs many functions for which a job each would be too much:
//
//	g, err := groups.New(ctx, s)
//	err = g.Go(func(ctx context.Context) error { return nil })
//	err = g.Wait(ctx)
//
// It builds on package workers as the packages outside do. Package sched says to users what a
// group is.
package groups
