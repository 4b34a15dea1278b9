module github.com/troupe-go/troupe/journal/protobuf

go 1.26.0

require (
	github.com/troupe-go/troupe v0.1.0
	google.golang.org/protobuf v1.36.12
)

require golang.org/x/sys v0.49.0 // indirect
