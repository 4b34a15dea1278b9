package strand_test

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/strand"
)

// proxy passes on what comes from either side, with the io package: each direction on
// a strand, since each has an end of its own.
func proxy(s *strand.Strand, front *strand.Conn, backend string) error {
	defer front.Close() //nolint:errcheck // Both directions have ended.
	back, err := strand.Dial(s, "tcp", backend)
	if err != nil {
		return err
	}
	defer back.Close() //nolint:errcheck // As above.
	up, err := strand.Go(s, func(s *strand.Strand) error { return pass(s, back, front) })
	if err != nil {
		return err
	}
	return errors.Join(pass(s, front, back), up.Join(s))
}

// pass copies until the source has ended, and passes that on as well.
func pass(s *strand.Strand, to, from *strand.Conn) error {
	_, err := io.Copy(to.Net(s), from.Net(s)) // For s, since s waits.
	return errors.Join(err, to.CloseWrite())
}

// count reads all that comes, and then says how much it was.
func count(s *strand.Strand, c *strand.Conn) error {
	defer c.Close() //nolint:errcheck // All was said.
	n, err := io.Copy(io.Discard, c.Net(s))
	return errors.Join(err, c.WriteLine(s, fmt.Sprint(n, " bytes")))
}

// serve has one connection served, and returns where.
func serve(s *strand.Strand, handle func(s *strand.Strand, c *strand.Conn) error) (address string, err error) {
	l, err := strand.Listen(s, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	_, err = strand.Go(s, func(s *strand.Strand) error {
		defer l.Close() //nolint:errcheck // It has done its work.
		c, err := l.Accept(s)
		if err != nil {
			return err
		}
		return handle(s, c)
	})
	return l.Addr().String(), err
}

// A proxy in front of a service. The client ends its direction, and the answer comes
// all the same.
func ExampleConn_Net() {
	err := strand.Run(context.Background(), sched.Config{}, func(s *strand.Strand) error {
		backend, err := serve(s, count)
		if err != nil {
			return err
		}
		front, err := serve(s, func(s *strand.Strand, c *strand.Conn) error { return proxy(s, c, backend) })
		if err != nil {
			return err
		}
		c, err := strand.Dial(s, "tcp", front)
		if err != nil {
			return err
		}
		defer c.Close() //nolint:errcheck // All has come.
		if _, err := c.Write(s, make([]byte, 1_000_000)); err != nil {
			return err
		}
		if err := c.CloseWrite(); err != nil {
			return err
		}
		answer, err := c.ReadLine(s)
		fmt.Println(answer)
		return err
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: 1000000 bytes
}
