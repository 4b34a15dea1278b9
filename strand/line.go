package strand

import (
	"bytes"
	"context"
	"io"
	"strings"
)

// ReadLine reads up to the next newline and returns the line without it, and without a
// carriage return before it. The bytes before the end of the stream, if there are any, are
// a line as well, with all of them; then the error is [io.EOF]. A line is any bytes:
// whether they are UTF-8 is the caller's business. If ctx ends within a line, the bytes
// that have come are kept for the next call.
func (c *Conn) ReadLine(ctx context.Context) (string, error) {
	line, err := c.AppendLine(ctx, nil)
	return string(line), err
}

// AppendLine is ReadLine into memory of the caller's: it appends the line to dst.
// With an error dst is unchanged.
func (c *Conn) AppendLine(ctx context.Context, dst []byte) ([]byte, error) {
	// Here and below calls are few and frames small, so that an idle connection's
	// stack stays at 2 KB.
	if err := c.lock(ctx, reading); err != nil {
		return dst, c.wrap("read", err)
	}
	for {
		if c.begin == c.end {
			err := c.t.await(ctx)
			if err == nil {
				err = c.fill(ctx)
			}
			if err != nil {
				return c.cut(ctx, dst, err)
			}
		}
		if line, ok := c.whole(dst); ok {
			return line, c.give(ctx, nil)
		}
		line, whole, err := c.line(dst)
		if whole || err != nil {
			return line, c.give(ctx, err)
		}
	}
}

// whole appends a line if all of it, and nothing unusual, is in the buffer.
//
//go:noinline
func (c *Conn) whole(dst []byte) ([]byte, bool) {
	if c.skipping || len(c.partial) > 0 {
		return dst, false
	}
	n := bytes.IndexByte(c.buffer[c.begin:c.end], '\n')
	if n < 0 || n > int(c.limit.Load()) {
		return dst, false
	}
	dst = append(dst, bytes.TrimSuffix(c.buffer[c.begin:c.begin+n], []byte{'\r'})...)
	c.begin += n + 1
	c.giveBack()
	return dst, true
}

// cut ends a read for which nothing more comes. At the end of the stream, what has
// come of a line is one.
//
//go:noinline
func (c *Conn) cut(ctx context.Context, dst []byte, err error) ([]byte, error) {
	if err == io.EOF && len(c.partial) > 0 { //nolint:errorlint // Exactly that one.
		dst, err = c.finish(dst, c.partial, int(c.limit.Load()))
	}
	return dst, c.give(ctx, err)
}

// give ends a read.
//
//go:noinline
func (c *Conn) give(ctx context.Context, err error) error {
	c.unlock(ctx, &c.readMu)
	if err != nil {
		err = c.wrap("read", err)
	}
	return err
}

// WriteLine writes the line and a newline, in one piece. A line that has a newline
// in it is refused.
func (c *Conn) WriteLine(ctx context.Context, line string) error {
	if strings.IndexByte(line, '\n') >= 0 {
		return errNewline
	}
	if len(line) >= lent {
		_, err := c.Write(ctx, append([]byte(line), '\n'))
		return err
	}
	err := c.lock(ctx, writing)
	if err == nil {
		buffer := buffers.Get().(*[lent]byte)
		n := copy(buffer[:], line)
		buffer[n] = '\n'
		_, err = c.t.write(ctx, buffer[:n+1])
		buffers.Put(buffer)
		c.unlock(ctx, &c.writeMu)
	}
	if err != nil {
		err = c.wrap("write", err)
	}
	return err
}

// line goes on with a line, by what is there. It returns false if that is not all
// of it. The caller holds readMu.
func (c *Conn) line(dst []byte) (line []byte, whole bool, err error) {
	limit := int(c.limit.Load())
	got, ended := c.next()
	switch {
	case c.skipping:
		c.skipping = !ended
	case len(c.partial)+len(got)-1 > limit: // The last may be a carriage return.
		c.partial, c.skipping = nil, !ended
		c.giveBack()
		return dst, false, &LineTooLongError{limit}
	case ended:
		if len(c.partial) > 0 {
			got = append(c.partial, got...)
		}
		line, err = c.finish(dst, bytes.TrimSuffix(got, []byte{'\r'}), limit)
		return line, true, err
	default:
		c.partial = append(c.partial, got...)
	}
	c.giveBack()
	return dst, false, nil
}

// next takes what is in the buffer up to a newline, if there is one. It is good
// until giveBack.
func (c *Conn) next() (got []byte, whole bool) {
	got = c.buffer[c.begin:c.end]
	if at := bytes.IndexByte(got, '\n'); at >= 0 {
		c.begin += at + 1
		return got[:at], true
	}
	c.begin = c.end
	return got, false
}

// finish appends a line that is whole.
func (c *Conn) finish(dst, line []byte, limit int) ([]byte, error) {
	c.partial = nil
	if len(line) > limit {
		c.giveBack()
		return dst, &LineTooLongError{limit}
	}
	dst = append(dst, line...)
	c.giveBack()
	return dst, nil
}

// fill reads into a buffer that is lent, after await. The caller holds readMu.
//
//go:noinline
func (c *Conn) fill(ctx context.Context) error {
	if c.buffer == nil {
		c.buffer = buffers.Get().(*[lent]byte)
	}
	n, err := c.t.read(ctx, c.buffer[:])
	c.begin, c.end = 0, n
	c.giveBack()
	return err
}

// giveBack gives the buffer back if nothing is in it. The caller holds readMu.
func (c *Conn) giveBack() {
	if c.buffer != nil && c.begin == c.end {
		c.drop()
	}
}

func (c *Conn) drop() {
	if c.buffer != nil {
		buffers.Put(c.buffer)
	}
	c.buffer, c.begin, c.end = nil, 0, 0
}
