// Package far is in another module, and uses a type of the first one.
package far

import "example.com/project/door"

// Knock calls a method that Door has from a type of its own package.
func Knock(d *door.Door) int { return d.Open() }
