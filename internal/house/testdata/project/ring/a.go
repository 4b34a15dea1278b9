// Package ring has a circle of three files: a by a field, b by a generic method, c by a function.
package ring

import "example.com/project/door"

func a(first *first) int { return first.inB }

// fromOutside selects a field of a type that another package hands back.
func fromOutside(f *first) int { return door.Same(f).inB }
