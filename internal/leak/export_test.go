package leak

// For tests that leak on purpose and need not wait for it.
var (
	Run         = run
	CheckWithin = check
)
