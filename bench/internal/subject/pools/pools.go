// Package pools has the subjects that are libraries which run jobs, one file
// each. Goroutines and channel workers are in internal/bench/jobs of the root
// module.
package pools

import "github.com/troupe-go/troupe/internal/bench/suite"

var families = []suite.Family{suite.Jobs}
