package strand_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"os"
	"testing"
	"time"

	"github.com/troupe-go/troupe/strand"
)

// TestTLS has crypto/tls run on both ends of a connection between strands.
func TestTLS(t *testing.T) {
	certificate, roots := selfSigned(t)
	address, ends := server(t, func(s *strand.Strand, c *strand.Conn) error {
		secure := tls.Server(c.Net(s), &tls.Config{Certificates: []tls.Certificate{certificate}})
		if err := secure.HandshakeContext(s); err != nil {
			return err
		}
		_, err := io.Copy(secure, secure)
		return err
	})
	run(t, 1, func(s *strand.Strand) error {
		c, err := strand.Dial(s, "tcp", address)
		if err != nil {
			return err
		}
		secure := tls.Client(c.Net(s), &tls.Config{RootCAs: roots, ServerName: "localhost"})
		if _, err := io.WriteString(secure, "a secret"); err != nil {
			return err
		}
		answer := make([]byte, len("a secret"))
		if _, err := io.ReadFull(secure, answer); err != nil || string(answer) != "a secret" {
			t.Errorf("it answered %q, %v", answer, err)
		}
		return secure.Close()
	})
	if err := next(t, ends); err != nil {
		t.Error(err)
	}
}

func selfSigned(t *testing.T) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"localhost"}, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, roots
}

// TestDeadlinesMove sets a deadline while a read waits, and lifts it again.
func TestDeadlinesMove(t *testing.T) {
	run(t, 2, func(s *strand.Strand) error {
		one, two := strand.Pipe()
		conn := one.Net(s)
		other, err := strand.Go(s, func(s *strand.Strand) error {
			if err := conn.SetReadDeadline(time.Now()); err != nil {
				return err
			}
			return nil
		})
		if err != nil {
			return err
		}
		_, err = conn.Read(make([]byte, 1))
		var timeout net.Error
		if !errors.Is(err, os.ErrDeadlineExceeded) || !errors.As(err, &timeout) || !timeout.Timeout() {
			return fmt.Errorf("the read ended with %w", err)
		}
		if err := errors.Join(other.Join(s), conn.SetDeadline(time.Time{}), two.WriteLine(s, "x")); err != nil {
			return err
		}
		if _, err := conn.Read(make([]byte, 1)); err != nil {
			return err
		}
		return conn.Close()
	})
}

// TestDeadlinesInThePast begins calls that need not wait, too late.
func TestDeadlinesInThePast(t *testing.T) {
	run(t, 1, func(s *strand.Strand) error {
		one, two := strand.Pipe()
		conn := one.Net(s)
		if _, err := two.Write(s, []byte("there")); err != nil {
			return err
		}
		if err := conn.SetDeadline(time.Unix(1, 0)); err != nil {
			return err
		}
		buffer := make([]byte, 10)
		n, err := conn.Read(buffer)
		if n != 0 {
			t.Errorf("%d bytes came", n)
		}
		is(t, err, os.ErrDeadlineExceeded)
		if n, err = conn.Write([]byte("x")); n != 0 {
			t.Errorf("%d bytes went", n)
		}
		is(t, err, os.ErrDeadlineExceeded)
		if err := conn.SetDeadline(time.Time{}); err != nil {
			return err
		}
		if n, err := conn.Read(buffer); string(buffer[:n]) != "there" || err != nil {
			t.Errorf("%q came, %v", buffer[:n], err)
		}
		return errors.Join(conn.Close(), two.Close())
	})
}

// TestDeadlineMovesWhileAWriteWaits moves the deadline of a write that waits in a transport
// whose calls block. The data is written once.
func TestDeadlineMovesWhileAWriteWaits(t *testing.T) {
	run(t, 2, func(s *strand.Strand) error {
		near, far := net.Pipe()
		one, err := strand.Wrap(near)
		if err != nil {
			return err
		}
		conn := one.Net(s)
		writer, err := strand.Go(s, func(s *strand.Strand) error {
			n, err := conn.Write([]byte("hello"))
			if n != 5 {
				t.Errorf("%d bytes went", n)
			}
			return err
		})
		if err != nil {
			return err
		}
		first := make([]byte, 1)
		if _, err := io.ReadFull(far, first); err != nil { // So the write has begun.
			return err
		}
		for _, at := range []time.Time{time.Now().Add(time.Hour), {}} {
			if err := conn.SetWriteDeadline(at); err != nil {
				return err
			}
		}
		rest := make(chan string, 1)
		go func() {
			all, _ := io.ReadAll(far) // Until it is closed.
			rest <- string(all)
		}()
		err = errors.Join(writer.Join(s), conn.Close())
		if got := string(first) + <-rest; got != "hello" {
			t.Errorf("what came is %q", got)
		}
		return errors.Join(err, far.Close())
	})
}
