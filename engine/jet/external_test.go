package jet_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/troupe-go/troupe/engine"
	"github.com/troupe-go/troupe/engine/enginetest"
	"github.com/troupe-go/troupe/engine/jet"
	"github.com/troupe-go/troupe/internal/lane"
)

// external starts a NATS server as others run it, on a free port of the loopback interface.
func external(t *testing.T, change func(o *server.Options)) (url string) {
	t.Helper()
	o := &server.Options{ServerName: "external", Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true, JetStream: true, StoreDir: t.TempDir(), SyncAlways: true}
	if change != nil {
		change(o)
	}
	s, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	go s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	if !s.ReadyForConnections(patience) {
		t.Fatal("the external server does not start")
	}
	return s.ClientURL()
}

func TestSuiteExternalServer(t *testing.T) {
	lane.Check(t)
	enginetest.Run(t, func(t *testing.T) enginetest.Subject {
		url := external(t, func(o *server.Options) { o.Username, o.Password = "u", "secret" })
		c := jet.Config{Servers: []string{url}, User: "u", Password: "secret"}
		one, two := open(t, c), open(t, c)
		return enginetest.Subject{Engines: []engine.Engine{one, two}, Restart: func(t *testing.T) []engine.Engine {
			if err := errors.Join(one.Close(), two.Close()); err != nil {
				t.Fatal(err)
			}
			return []engine.Engine{open(t, c)}
		}}
	})
}

// refuses fails unless Open returns an error that is want and has the text, and no secret.
func refuses(t *testing.T, c jet.Config, want error, text string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	e, err := jet.Open(ctx, c)
	if err == nil {
		t.Fatalf("Open succeeds, want an error with %q: %v", text, e.Close())
	}
	if want != nil && !errors.Is(err, want) || !strings.Contains(err.Error(), text) {
		t.Errorf("the error is %q, want one that is %v, with %q", err, want, text)
	}
	if strings.Contains(err.Error(), "secret") {
		t.Errorf("the error tells a secret: %q", err)
	}
}

func TestUnreachableExternalServerIsNamed(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	refuses(t, jet.Config{Servers: []string{"nats://" + address}}, engine.ErrUnavailable, address)
}

func TestWrongCredentialsAreRefusedWithoutTellingThem(t *testing.T) {
	url := external(t, func(o *server.Options) { o.Username, o.Password = "u", "right" })
	refuses(t, jet.Config{Servers: []string{url}, User: "u", Password: "secret"}, nil, "set User and Password")
	refuses(t, jet.Config{Servers: []string{url}}, nil, "set User and Password")
}

func TestServerWithoutJetStreamIsRefused(t *testing.T) {
	url := external(t, func(o *server.Options) { o.JetStream = false })
	refuses(t, jet.Config{Servers: []string{url}}, nil, "nats-server -js")
}

func TestLostConnectionIsReportedAndWritesNothing(t *testing.T) {
	var s *server.Server
	o := &server.Options{ServerName: "external", Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true, JetStream: true, StoreDir: t.TempDir()}
	s, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	go s.Start()
	stop := func() { s.Shutdown(); s.WaitForShutdown() }
	t.Cleanup(stop)
	if !s.ReadyForConnections(patience) {
		t.Fatal("the external server does not start")
	}
	e := open(t, jet.Config{Servers: []string{s.ClientURL()}})
	table, err := e.Table(t.Context(), "table")
	if err != nil {
		t.Fatal(err)
	}
	stop()
	for e.Bus().Reachable() == nil {
		if t.Context().Err() != nil {
			t.Fatal("a lost connection is not reported")
		}
		<-time.After(time.Millisecond) // There is no event of it to wait for.
	}
	if err := e.Bus().Reachable(); !strings.Contains(err.Error(), "is lost since") {
		t.Errorf("Reachable returns %v", err)
	}
	// The urgent connection may be lost a moment later than the one that was reported.
	for {
		short, done := context.WithTimeout(t.Context(), 100*time.Millisecond) // Otherwise it waits for an answer.
		_, err := table.Put(short, "key", nil, engine.Any, 0)
		done()
		if errors.Is(err, engine.ErrUnavailable) {
			break
		}
		if !errors.Is(err, engine.ErrUnknownOutcome) {
			t.Fatalf("Put without a server: %v", err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	for err = nil; err == nil; { // Until the window is full.
		err = e.Bus().Publish(ctx, engine.Bulk, "subject", make([]byte, engine.MaxFrame))
	}
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Publish without a server ends with %v, want the end of its context", err)
	}
}
