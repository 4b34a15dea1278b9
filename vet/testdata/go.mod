module example.com/mistakes

go 1.26.0

require (
	github.com/troupe-go/troupe v0.1.0
	golang.org/x/sys v0.49.0 // indirect
)

replace github.com/troupe-go/troupe => ../..
