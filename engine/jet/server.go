package jet

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/nats-io/nats-server/v2/server"
)

// format is the number of the layout of directories.
const format = 1

// maxPayload is the largest message: a value of a table or log with its headers.
const maxPayload = 1 << 20

// startPoll is how often a server that starts is looked at.
const startPoll = startWait / 2000

// embedded is a server in this process.
type embedded struct {
	*server.Server
	user, password string // Made at random. Of clients, if it listens.
	unlock         func() error
}

// start starts a server and returns when it takes connections.
func start(ctx context.Context, c Config) (*embedded, error) {
	unlock, err := claim(c.Dir, marker{Format: format, Cluster: c.Cluster.Name, Node: nodeOf(c)})
	if err != nil {
		return nil, err
	}
	e := &embedded{unlock: unlock}
	opts, err := e.options(c)
	if err == nil {
		err = taken(c.Cluster.Listen)
	}
	if err == nil {
		e.Server, err = server.NewServer(opts)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("jet: the embedded server: %w", err), unlock())
	}
	failed := make(chan string, 1)
	e.SetLoggerV2(&logger{c.Log.With("component", "nats-server"), failed}, false, false, false)
	started := make(chan struct{})
	go func() {
		defer close(started)
		e.Start()
	}()
	if err := e.ready(ctx, started, failed); err != nil {
		return nil, errors.Join(fmt.Errorf("jet: the embedded server does not start: %w", err), e.stop())
	}
	return e, nil
}

func nodeOf(c Config) string {
	if c.Cluster.isZero() {
		return ""
	}
	return c.Name
}

// taken returns an error if nothing can listen at an address.
func taken(address string) error {
	if address == "" {
		return nil
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("Cluster.Listen: %w; stop the other program, or choose another address", err)
	}
	return l.Close()
}

// options returns the options of the server.
func (e *embedded) options(c Config) (*server.Options, error) {
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return nil, err
	}
	opts := &server.Options{
		ServerName: c.Name, Host: "127.0.0.1", Port: server.RANDOM_PORT, DontListen: true, NoSigs: true, NoSystemAccount: false,
		JetStream: true, StoreDir: dir, SyncAlways: true, MaxPayload: maxPayload, DisableShortFirstPing: true,
		JetStreamMaxMemory: 64 << 20, JetStreamMaxStore: 1 << 40,
	}
	if c.Cluster.isZero() {
		return opts, nil
	}
	// The server accepts no routes until its clients' listener is there, so it has one, on the loopback interface and
	// with a password that nobody else has.
	e.user, e.password = "troupe", rand.Text()
	opts.DontListen, opts.Username, opts.Password = false, e.user, e.password
	opts.JetStream = c.Cluster.isCore()
	opts.Cluster = server.ClusterOpts{Name: c.Cluster.Name, Host: "127.0.0.1", Port: server.RANDOM_PORT, TLSConfig: c.Cluster.TLS, Username: c.Cluster.User, Password: c.Cluster.Password, TLSTimeout: 5, AuthTimeout: 5}
	if c.Cluster.Listen != "" {
		host, port, err := net.SplitHostPort(c.Cluster.Listen)
		if err != nil {
			return nil, err
		}
		if opts.Cluster.Host = host; host == "localhost" {
			opts.Cluster.Host = "127.0.0.1"
		}
		if opts.Cluster.Port, err = strconv.Atoi(port); err != nil {
			return nil, err
		}
	}
	for _, a := range c.Cluster.Core {
		u := &url.URL{Scheme: "nats", Host: a}
		if c.Cluster.User != "" {
			u.User = url.UserPassword(c.Cluster.User, c.Cluster.Password)
		}
		opts.Routes = append(opts.Routes, u)
	}
	return opts, nil
}

// ready waits until the server takes connections.
func (e *embedded) ready(ctx context.Context, started <-chan struct{}, failed <-chan string) error {
	limit, cancel := context.WithTimeout(ctx, startWait)
	defer cancel()
	for !e.ReadyForConnections(startPoll) {
		select {
		case text := <-failed:
			return errors.New(text)
		case <-limit.Done():
			return fmt.Errorf("it is not ready: %w", context.Cause(limit))
		case <-started:
			if !e.Running() {
				return errors.New("it has ended; its log says why")
			}
		default:
		}
	}
	return nil
}

// stop ends the server and waits for its end.
func (e *embedded) stop() error {
	e.Shutdown()
	e.WaitForShutdown()
	return e.unlock()
}

// logger gives what the server reports to slog. Debug and trace are off: traces have contents.
type logger struct {
	log    *slog.Logger
	failed chan<- string
}

func (l *logger) Noticef(format string, v ...any) { l.log.Debug(line(format, v)) }
func (l *logger) Warnf(format string, v ...any)   { l.log.Warn(line(format, v)) }
func (l *logger) Errorf(format string, v ...any)  { l.log.Error(line(format, v)) }
func (l *logger) Debugf(string, ...any)           {}
func (l *logger) Tracef(string, ...any)           {}

// Fatalf reports why the server ends. The server's own loggers would end the process.
func (l *logger) Fatalf(format string, v ...any) {
	text := line(format, v)
	l.log.Error(text)
	select {
	case l.failed <- text:
	default:
	}
}

func line(format string, v []any) string { return strings.TrimSpace(fmt.Sprintf(format, v...)) }
