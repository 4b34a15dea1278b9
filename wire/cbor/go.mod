module github.com/troupe-go/troupe/wire/cbor

go 1.26.0

require (
	github.com/fxamacker/cbor/v2 v2.10.0
	github.com/troupe-go/troupe v0.1.0
)

require (
	github.com/x448/float16 v0.8.4 // indirect
	golang.org/x/sys v0.49.0 // indirect
)
