// Package jet is an engine on NATS with JetStream, embedded or external.
//
//	eng, err := jet.Open(ctx, jet.Config{})                         // embedded and alone, in ./troupe.d
//	eng, err := jet.Open(ctx, jet.Config{Servers: []string{url}})   // a NATS that runs elsewhere
//
// The embedded server opens no port while it is alone, installs no signal handler, and logs to
// Config.Log only. It syncs each write of a table or log before it acknowledges it.
//
// Each node has two connections, for urgent and for bulk frames. Tables use the urgent one,
// logs the bulk one. A table is a bucket of NATS's key-value store named troupe-NAME, and a
// log is a stream named troupe-log-NAME, so the tools of NATS can read them. They must not
// write to them.
package jet

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/troupe-go/troupe/engine"
	"github.com/troupe-go/troupe/engine/internal/guard"
)

const (
	// startWait is how long an embedded server may take to start.
	startWait = 20 * time.Second
	// answerWait is how long a call waits for an answer if its context has no end. Elections of JetStream take 4 to 9 s.
	answerWait = 15 * time.Second
	// openWait is how long opening waits for JetStream. After a start several leaders are elected.
	openWait = time.Minute
)

var _ engine.Engine = (*Engine)(nil)

// Engine implements [engine.Engine]. Its methods may be called by several goroutines.
type Engine struct {
	config Config
	server *embedded // Nil with external servers.
	bus    *bus
	tables *store // On the urgent connection.
	logs   *store // On the bulk connection.
	ctx    context.Context
	cancel context.CancelCauseFunc
	once   sync.Once
	err    error

	mu     sync.Mutex
	guards map[string]*guard.Guard
}

// store is JetStream on one connection.
type store struct {
	conn *nats.Conn
	js   jetstream.JetStream
}

// Open opens the engine that the configuration describes, and waits until JetStream answers,
// or ctx ends. Errors wrap [engine.ErrInvalid] for a configuration that is wrong,
// [ErrForeign], [ErrOtherStore] and [ErrInUse] for a directory that can't be used, and
// [engine.ErrUnavailable] if no server answers. Call Close in the end.
func Open(ctx context.Context, c Config) (*Engine, error) {
	c, err := c.checked()
	if err != nil {
		return nil, err
	}
	if err := engine.Ended(ctx, "open"); err != nil {
		return nil, err
	}
	e := &Engine{config: c, guards: map[string]*guard.Guard{}}
	e.ctx, e.cancel = context.WithCancelCause(context.Background())
	if len(c.Servers) == 0 {
		if e.server, err = start(ctx, c); err != nil {
			return nil, err
		}
	}
	if err := e.connect(ctx); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

// connect opens the connections and waits for JetStream.
func (e *Engine) connect(ctx context.Context) (err error) {
	e.bus = newBus(e)
	for class := range e.bus.lines {
		l := e.bus.lines[class]
		if l.conn, err = e.dial(l); err != nil {
			return err
		}
		js, err := jetstream.New(l.conn, jetstream.WithDefaultTimeout(answerWait))
		if err != nil {
			return fmt.Errorf("jet: %w", err)
		}
		if engine.Class(class) == engine.Urgent {
			e.tables = &store{l.conn, js}
		} else {
			e.logs = &store{l.conn, js}
		}
	}
	return e.awaitJetStream(ctx)
}

// awaitJetStream waits until JetStream answers. A cluster elects a leader first.
func (e *Engine) awaitJetStream(ctx context.Context) error {
	limit, cancel := context.WithTimeout(ctx, openWait)
	defer cancel()
	for {
		once, done := context.WithTimeout(limit, tryWait)
		_, err := e.tables.js.AccountInfo(once)
		done()
		if err == nil {
			return nil
		}
		if e.config.Cluster.isZero() && (errors.Is(err, jetstream.ErrJetStreamNotEnabled) || errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount)) {
			return fmt.Errorf("jet: the server has no JetStream for this account: %w; start it by `nats-server -js`, or enable JetStream for the account", err)
		}
		select {
		case <-limit.Done():
			return fmt.Errorf("jet: JetStream does not answer: %w: %w; %s", engine.ErrUnavailable, err, e.advice())
		case <-time.After(retryPause):
		}
	}
}

func (e *Engine) advice() string {
	if e.config.Cluster.isZero() {
		return "look at the server's log"
	}
	return fmt.Sprintf("it needs %d of the nodes %s", len(e.config.Cluster.Core)/2+1, strings.Join(e.config.Cluster.Core, ", "))
}

// dial opens one connection.
func (e *Engine) dial(l *connection) (*nats.Conn, error) {
	c := e.config
	opts := []nats.Option{
		nats.Name(c.Name + " " + l.class.String()), nats.MaxReconnects(-1), nats.ReconnectWait(100 * time.Millisecond),
		nats.ReconnectJitter(100*time.Millisecond, 100*time.Millisecond), nats.ReconnectBufSize(2 * c.Window),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) { l.lost(err) }),
		nats.ReconnectHandler(func(*nats.Conn) { l.found() }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			c.Log.Debug("a connection to NATS reports an error", "class", l.class.String(), "error", err)
		}),
	}
	where := ""
	if e.server != nil {
		opts = append(opts, nats.InProcessServer(e.server))
		if e.server.user != "" {
			opts = append(opts, nats.UserInfo(e.server.user, e.server.password))
		}
	} else {
		where = strings.Join(c.Servers, ",")
		if c.User != "" || c.Password != "" {
			opts = append(opts, nats.UserInfo(c.User, c.Password))
		}
		if c.Credentials != "" {
			opts = append(opts, nats.UserCredentials(c.Credentials))
		}
		if c.TLS != nil {
			opts = append(opts, nats.Secure(c.TLS))
		}
	}
	conn, err := nats.Connect(where, opts...)
	switch {
	case err == nil:
		return conn, nil
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired):
		return nil, fmt.Errorf("jet: the server refuses this node: %w; set User and Password, or Credentials", err)
	default:
		return nil, fmt.Errorf("jet: no server at %q: %w: %w; start one there, or set Servers", where, engine.ErrUnavailable, err)
	}
}

// Bus implements [engine.Engine].
func (e *Engine) Bus() engine.Bus { return e.bus }

// Close implements [engine.Engine]. It also stops the embedded server, and waits for its end.
func (e *Engine) Close() error {
	e.once.Do(func() {
		e.cancel(engine.ErrClosed)
		if e.bus != nil {
			e.bus.close()
		}
		if e.server != nil {
			e.err = e.server.stop()
		}
	})
	return e.err
}

// usable returns an error if nothing can be done.
func (e *Engine) usable(ctx context.Context, what string) error {
	if e.ctx.Err() != nil {
		return fmt.Errorf("%s: %w", what, engine.ErrClosed)
	}
	return engine.Ended(ctx, what)
}

// call returns a context for a call: it ends with ctx, with the engine, and after answerWait.
func (e *Engine) call(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(e.ctx, func() { cancel(engine.ErrClosed) })
	limit, done := context.WithTimeoutCause(ctx, answerWait, fmt.Errorf("no answer within %v", answerWait))
	return limit, func() { done(); stop(); cancel(nil) }
}

// guard returns the guard of a table or log, one for all who open it on this node.
func (e *Engine) guard(where string) *guard.Guard {
	e.mu.Lock()
	defer e.mu.Unlock()
	g := e.guards[where]
	if g == nil {
		g = &guard.Guard{Where: where}
		e.guards[where] = g
	}
	return g
}
