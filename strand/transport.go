package strand

import (
	"context"
	"errors"
	"net"
)

// transport is what bytes go through: a descriptor that the operating system
// tells about, calls that block on goroutines, or memory. Each side is used by
// one caller at a time.
type transport interface {
	// await waits until read has something to return, if that is known before.
	await(ctx context.Context) error
	// read returns at least one byte, or an error: io.EOF at the end.
	read(ctx context.Context, p []byte) (int, error)
	// write writes everything, or returns an error and how much it was.
	write(ctx context.Context, p []byte) (int, error)
	// offer writes what can be written without waiting, if that is known before.
	offer(p []byte) (int, error)
	// closeWrite ends the stream for the peer.
	closeWrite() error
	close() error
	addresses() (local, remote net.Addr)
}

var errNoCloseWrite = errors.New("strand: this connection has no direction that could be closed alone")

// memoryAddr is the address of what has none.
type memoryAddr string

func (memoryAddr) Network() string  { return "memory" }
func (a memoryAddr) String() string { return string(a) }

// fileAddr is the address of a file: its name.
type fileAddr string

func (fileAddr) Network() string  { return "file" }
func (a fileAddr) String() string { return string(a) }
