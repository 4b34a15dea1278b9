package remote

import (
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/troupe-go/troupe/internal/kernel/standin"
	"github.com/troupe-go/troupe/internal/session"
	"github.com/troupe-go/troupe/wire"
)

// Besides its message, an ask has in the values of the session's message: where the answer goes, as it may be a
// third node; the asks above; and the context values.

const maxNodeName = 64

func appendAddress(dst []byte, a standin.Address) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(a.Name)))
	dst = append(dst, a.Name...)
	dst = binary.AppendUvarint(dst, a.Birth)
	return binary.AppendUvarint(dst, a.Number)
}

// readAddress returns what is behind the address, too.
func readAddress(data []byte) (a standin.Address, rest []byte, err error) {
	n, size := binary.Uvarint(data)
	if size <= 0 || n == 0 || n > maxNodeName || n > uint64(len(data)-size) {
		return a, nil, fmt.Errorf("%w: the name of a node is cut, or is none", wire.ErrData)
	}
	a.Name, data = string(data[size:size+int(n)]), data[size+int(n):]
	for _, to := range []*uint64{&a.Birth, &a.Number} {
		if *to, size = binary.Uvarint(data); size <= 0 {
			return a, nil, fmt.Errorf("%w: a number of an address is cut", wire.ErrData)
		}
		data = data[size:]
	}
	return a, data, nil
}

// appendAsk appends what crosses with an ask.
func appendAsk(dst []byte, a *wire.Agreement, ask *standin.Ask) ([]byte, error) {
	dst = appendAddress(dst, ask.To)
	chain := ask.Chain
	if len(chain) > standin.MaxChain {
		chain = chain[len(chain)-standin.MaxChain:]
	}
	dst = append(dst, byte(len(chain)))
	for _, above := range chain {
		dst = appendAddress(dst, above)
	}
	if ask.Context == nil {
		return dst, nil
	}
	return a.AppendValues(dst, ask.Context)
}

// readAsk reads what appendAsk has appended. Left is how long the asker waits, or 0 if there is no limit.
func readAsk(a *wire.Agreement, data []byte, left time.Duration) (*standin.Ask, error) {
	ask := &standin.Ask{Context: context.Background()}
	var err error
	if ask.To, data, err = readAddress(data); err != nil {
		return nil, err
	}
	if len(data) == 0 || data[0] > standin.MaxChain {
		return ask, fmt.Errorf("%w: the chain of an ask is cut, or has more than %d asks", wire.ErrData, standin.MaxChain)
	}
	n := int(data[0])
	data = data[1:]
	for range n {
		var above standin.Address
		if above, data, err = readAddress(data); err != nil {
			return ask, err
		}
		ask.Chain = append(ask.Chain, above)
	}
	if len(data) > 0 {
		if ask.Context, err = a.DecodeValues(ask.Context, data); err != nil {
			return ask, err
		}
	}
	if left > 0 {
		ask.Context = timed{ask.Context, time.Now().Add(left)}
	}
	return ask, nil
}

// timed is a context with a deadline that only tells of it; the kernel ends what it is for.
type timed struct {
	context.Context
	at time.Time
}

func (t timed) Deadline() (time.Time, bool) { return t.at, true }

// left returns how long it is until the deadline of ctx: 0 without one, and at least a nanosecond.
func left(ctx context.Context) time.Duration {
	if ctx == nil {
		return 0
	}
	at, ok := ctx.Deadline()
	if !ok {
		return 0
	}
	return max(time.Until(at), 1)
}

// laneOf returns the lane of a session for a lane of an actor.
func laneOf(l standin.Lane) session.Lane { return session.Lane(2 - min(l, 2)) }

// laneFor returns the lane of an actor for a lane of a session.
func laneFor(l session.Lane) standin.Lane { return standin.Lane(2 - l) }
