package inspect

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// Server serves the live page at an address of its own; see
// [Inspector.Listen].
type Server struct {
	listener net.Listener
	server   *http.Server
	served   sync.WaitGroup
	failed   error
}

// Listen serves the live page at the address, such as "127.0.0.1:8080". Without
// a host, as in ":8080", it is 127.0.0.1; a port of 0 means any that is free. It
// returns an error for a configuration that makes no sense, for an address that
// can't be had, and for one that is not loopback unless there is a Token.
//
// Close the server before the inspector.
func (i *Inspector) Listen(addr string, cfg WebConfig) (*Server, error) {
	h, err := i.Handler(cfg)
	if err != nil {
		return nil, err
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("inspect: the address %.80q has no port, or is none: %w", addr, err)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, fmt.Errorf("inspect: serve the live page: %w", err)
	}
	if cfg.Token == "" && !cfg.Trusted && !isLoopback(l.Addr().String()) {
		_ = l.Close()
		return nil, fmt.Errorf("inspect: the address %s can be reached from elsewhere, which needs a WebConfig.Token", addr)
	}
	s := newServer(l, h)
	s.start()
	return s, nil
}

// newServer returns one that is not served yet. A client that takes an answer more
// slowly than in WriteTimeout is cut off, so that such clients do not keep answers in
// memory; the stream has its own time.
func newServer(l net.Listener, h http.Handler) *Server {
	return &Server{listener: l, server: &http.Server{
		Handler: h, ReadHeaderTimeout: 10 * time.Second, WriteTimeout: time.Minute, IdleTimeout: 2 * time.Minute,
	}}
}

func (s *Server) start() {
	s.served.Go(func() {
		if err := s.server.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
			s.failed = err
		}
	})
}

// Addr returns the address, with the port that was chosen.
func (s *Server) Addr() net.Addr { return s.listener.Addr() }

// URL returns where the page is, without the token.
func (s *Server) URL() string {
	return (&url.URL{Scheme: "http", Host: s.listener.Addr().String(), Path: "/"}).String()
}

// Close ends the serving, with all open pages, and returns what went wrong with
// it before, if anything.
func (s *Server) Close() error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // Streams are open, and would not end.
	_ = s.server.Shutdown(ctx)
	err := s.server.Close()
	s.served.Wait()
	return errors.Join(s.failed, err)
}
