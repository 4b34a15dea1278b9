package strand

import (
	"context"
	"net"
)

// TryWrite writes as much of p as there is room for now, and returns how much: 0 if that is
// nothing, or if somebody else is writing. It never waits, so a server that tells many does
// not wait for one that does not read; the rest is for Write, or to be dropped together
// with the connection. The room of a stream that can't be polled, such as a file, is not
// known, so it is always 0 there. Of ctx it asks whether it has ended.
func (c *Conn) TryWrite(ctx context.Context, p []byte) (n int, err error) {
	switch {
	case c.isClosed():
		err = net.ErrClosed
	case ctx == nil:
		return 0, errNilContext
	case pass(ctx) != nil:
		return 0, cause(ctx)
	case len(p) == 0 || !c.writeMu.TryLock():
		return 0, nil
	default:
		n, err = c.t.offer(p)
		c.unlock(ctx, &c.writeMu)
	}
	if err != nil {
		err = c.wrap("write", err)
	}
	return n, err
}
