package remote

import "github.com/troupe-go/troupe/wire"

var (
	AppendAsk = appendAsk
	ReadAsk   = readAsk
	ReadExit  = readExit
)

// AppendExit writes the end of an actor as a node does that has this agreement with itself.
func AppendExit(own *wire.Agreement, name string, reason error) []byte {
	return (&Node{own: own}).appendExit(name, reason)
}
