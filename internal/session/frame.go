package session

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// A frame is, in this order, integers with the most significant byte first:
//
//	1   magic 0x74 and
//	1   version 1
//	1   type
//	1   lane
//	8   birth of the sender         8   birth of the receiver
//	8   epoch of the sender         8   epoch of the receiver, or 0 if not known
//	8   number in its lane; 0 if the frame has no messages
//	24  the last number that has come in each lane
//	1+n name of the sending node
//	    the body
//	4   CRC-32C of all before
//
// The body of a frame of messages is a row of fragments: 4 bytes with the length, the highest bit set if the message ends
// here, and as many bytes. The checksum is for what the checksums of TCP and the authentication of TLS do not see: frames cut or mixed up
// by an engine. A frame that it refuses is a lost one, which is mended; without it a flipped bit would end the session, or
// change a message.
const (
	magic      = 0x74
	version    = 1
	fixed      = 68
	checksum   = 4
	fragment   = 4
	ends       = 1 << 31
	maxBody    = maxFrame - fixed - 1 - maxName - checksum
	noMessages = 0
)

// frameType says what a frame is for.
type frameType uint8

const (
	hello frameType = 1 + iota // Begins or confirms an epoch. It has no lane.
	messages
	ack // Has acknowledgements alone. Body: a byte for each lane, 1 if a frame is missing there.
	bye // The sender has ended the epoch.
)

// header is the head of a frame.
type header struct {
	typ      frameType
	lane     Lane
	from     Node
	to       uint64
	epoch    uint64
	theirs   uint64
	number   uint64
	received [lanes]uint64
}

func (h *header) append(dst []byte) []byte {
	dst = append(dst, magic, version, byte(h.typ), byte(h.lane))
	for _, v := range [...]uint64{h.from.Birth, h.to, h.epoch, h.theirs, h.number, h.received[0], h.received[1], h.received[2]} {
		dst = binary.BigEndian.AppendUint64(dst, v)
	}
	dst = append(dst, byte(len(h.from.Name)))
	return append(dst, h.from.Name...)
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// seal appends the checksum of a frame that begins at the start of dst.
func seal(dst []byte) []byte {
	return binary.BigEndian.AppendUint32(dst, crc32.Checksum(dst, castagnoli))
}

var (
	errChecksum = errors.New("the checksum is wrong")
	errFrame    = errors.New("no frame of this protocol")
)

// rawFrame is a frame that was read, as far as that takes no memory.
type rawFrame struct {
	header
	name []byte // Of the sender; header.from.Name is not set.
	body []byte
}

// readFrame reads a frame. Its parts lie in data.
func readFrame(data []byte) (f rawFrame, err error) {
	switch {
	case len(data) < fixed+1+checksum:
		return f, fmt.Errorf("%w: it has %d bytes", errFrame, len(data))
	case len(data) > maxFrame:
		return f, fmt.Errorf("%w: it has %d bytes, of %d", errFrame, len(data), maxFrame)
	case data[0] != magic || data[1] != version:
		return f, fmt.Errorf("%w: it begins with %x", errFrame, data[:2])
	}
	end := len(data) - checksum
	if crc32.Checksum(data[:end], castagnoli) != binary.BigEndian.Uint32(data[end:]) {
		return f, errChecksum
	}
	f.typ, f.lane = frameType(data[2]), Lane(data[3])
	at := func(i int) uint64 { return binary.BigEndian.Uint64(data[4+8*i:]) }
	f.from.Birth, f.to, f.epoch, f.theirs, f.number = at(0), at(1), at(2), at(3), at(4)
	for i := range f.received {
		f.received[i] = at(5 + i)
	}
	size := int(data[fixed])
	if size == 0 || size > maxName || fixed+1+size > end {
		return f, fmt.Errorf("%w: the name has %d bytes", errFrame, size)
	}
	f.name, f.body = data[fixed+1:fixed+1+size], data[fixed+1+size:end]
	if f.typ < hello || f.typ > bye || f.lane >= lanes || f.epoch == 0 || (f.number == noMessages) != (f.typ != messages) {
		return f, fmt.Errorf("%w: type %d, lane %d, epoch %d, number %d", errFrame, f.typ, f.lane, f.epoch, f.number)
	}
	return f, nil
}

// nextFragment takes a fragment from the body of a frame.
func nextFragment(body []byte) (part []byte, last bool, rest []byte, err error) {
	if len(body) < fragment {
		return nil, false, nil, fmt.Errorf("%w: a frame ends within a length", ErrProtocol)
	}
	n := binary.BigEndian.Uint32(body)
	last, n = n&ends != 0, n&^ends
	body = body[fragment:]
	if uint64(n) > uint64(len(body)) {
		return nil, false, nil, fmt.Errorf("%w: a fragment of %d bytes lies in a rest of %d", ErrProtocol, n, len(body))
	}
	if n == 0 {
		return nil, false, nil, fmt.Errorf("%w: a fragment is empty", ErrProtocol)
	}
	return body[:n], last, body[n:], nil
}

func isName(s string) bool {
	if s == "" || len(s) > maxName {
		return false
	}
	for i := range len(s) {
		c := s[i]
		isWord := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_'
		if !isWord {
			return false
		}
	}
	return true
}
