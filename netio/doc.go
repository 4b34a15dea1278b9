// Package netio brings streams of bytes to actors.
//
// A [Codec] makes messages from the bytes of a stream, in whatever pieces they come,
// and bytes from messages: [Lines] of text, [Frames] behind their length, [JSON]
// values, or one of the program's own. [Map] puts messages into another type. What
// comes from a peer is not trusted: all sizes have limits, which hold before memory
// is taken.
package netio
