package ring

// A test is no source: it would be in the circle.
func inTest() int { return d() }
