package stacks

// NewDump returns a dump with a given text.
func NewDump(text string, cut bool) Dump { return Dump{[]byte(text), cut} }

// Within is All with another limit.
func Within(limit int) Dump { return all(limit) }
