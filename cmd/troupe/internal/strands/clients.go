package strands

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/troupe-go/troupe/internal/bench/suite"
)

const (
	// wanted is how many connections are asked for; spare descriptors are for all
	// else in either process.
	wanted = 20_000
	spare  = 100

	clients  = 64
	lineSize = 64
	dialers  = 16 // How many connect at a time.
)

// mostConnections is how many are possible, since each takes a descriptor in either
// process.
func mostConnections() int {
	return min(wanted, max(descriptors()-spare, 1))
}

func fewer() string {
	if n := mostConnections(); n < wanted {
		return fmt.Sprintf(" (not %s: the limit on descriptors allows no more, see ulimit -n)", humanize.Comma(wanted))
	}
	return ""
}

// runConnections has Run.N connections to a server, all of which have echoed a line
// and are idle.
func runConnections(subject string) suite.Func {
	return func(r *suite.Run) (n int64, err error) {
		p, err := startServer(subject)
		if err != nil {
			return 0, err
		}
		defer func() { err = errors.Join(err, p.stop()) }()
		before, err := p.memory()
		if err != nil {
			return 0, err
		}
		began := time.Now()
		all, err := connectIdle(p.address, r.N)
		defer func() {
			for _, c := range all {
				_ = c.Close() // It is of no use any more.
			}
		}()
		if err != nil {
			return 0, err
		}
		r.Took(time.Since(began))
		after, err := p.memory()
		r.Grew(uint64(max(after-before, 0)))
		return int64(len(all)), err
	}
}

// connectIdle makes n connections, each of which has a line echoed.
func connectIdle(address string, n int) ([]net.Conn, error) {
	all := make([]net.Conn, n)
	failed := make([]error, dialers)
	var done sync.WaitGroup
	for d := range dialers {
		done.Go(func() {
			for i := d; i < n && failed[d] == nil; i += dialers {
				if all[i], failed[d] = net.Dial("tcp", address); failed[d] == nil {
					failed[d] = exchange(all[i], []byte("hello\n"), make([]byte, 6))
				}
			}
		})
	}
	done.Wait()
	err := errors.Join(failed...)
	if err != nil {
		var some []net.Conn
		for _, c := range all {
			if c != nil {
				some = append(some, c)
			}
		}
		return some, err
	}
	return all, nil
}

// exchange sends a line, and waits until it is back in answer.
func exchange(c net.Conn, line, answer []byte) error {
	if _, err := c.Write(line); err != nil {
		return err
	}
	if _, err := io.ReadFull(c, answer); err != nil {
		return err
	}
	if !bytes.Equal(line, answer) {
		return fmt.Errorf("%q came back for %q", answer, line)
	}
	return nil
}

// runEcho has clients send Run.N lines together, each when its last is back.
func runEcho(subject string) suite.Func {
	return func(r *suite.Run) (n int64, err error) {
		p, err := startServer(subject)
		if err != nil {
			return 0, err
		}
		defer func() { err = errors.Join(err, p.stop()) }()
		all, err := connectIdle(p.address, clients)
		defer func() {
			for _, c := range all {
				_ = c.Close() // It is of no use any more.
			}
		}()
		if err != nil {
			return 0, err
		}
		failed := make([]error, clients)
		gate := make(chan struct{})
		var done sync.WaitGroup
		for i, c := range all {
			done.Go(func() {
				line := append(bytes.Repeat([]byte{'x'}, lineSize-1), '\n')
				answer := make([]byte, lineSize)
				<-gate
				for range r.N / clients {
					if failed[i] = exchange(c, line, answer); failed[i] != nil {
						return
					}
				}
			})
		}
		began := time.Now()
		close(gate)
		done.Wait()
		r.Took(time.Since(began))
		return int64(r.N), errors.Join(failed...)
	}
}
