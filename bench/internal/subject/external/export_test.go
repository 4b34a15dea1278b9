package external

var (
	Absent = absent
	Parse  = parse
)
