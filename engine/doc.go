// Package engine has the interfaces of a distributed engine: what the packages for several
// nodes need of one, and no more. A [Bus] carries frames between nodes.
//
// Programs do not call an engine. They open one and give it to a cluster; package memory
// has one for tests and simulations.
package engine
