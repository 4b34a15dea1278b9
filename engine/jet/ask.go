package jet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/troupe-go/troupe/engine"
)

// Codes of errors of JetStream that nats.go has no names for.
const (
	codeNotAvailable     = 10008
	codeNotLeader        = 10009
	codeConsumerCreate   = 10012
	codeNoResources      = 10023
	codeNoStorage        = 10047
	codeWrongSequence    = 10071
	codeNotEnabled       = 10076
	codeStoreFailed      = 10077
	codeOffline          = 10118
	codeWrongSequenceBut = 10164 // Without the sequence that there is.
)

// receipt is the answer to a write.
type receipt struct {
	Sequence  uint64              `json:"seq"`
	Duplicate bool                `json:"duplicate"`
	Error     *jetstream.APIError `json:"error"`
}

// errWrongSequence is the conflict that the server reports, with what it says.
type errWrongSequence struct {
	actual uint64
	known  bool
}

func (e errWrongSequence) Error() string { return "wrong last sequence" }

// write sends a message that is stored by a stream, and waits until it is.
func (e *Engine) write(ctx context.Context, s *store, what string, m *nats.Msg) (receipt, error) {
	if !s.conn.IsConnected() {
		if s.conn.IsClosed() {
			return receipt{}, fmt.Errorf("%s: %w", what, engine.ErrClosed)
		}
		return receipt{}, fmt.Errorf("jet: %s: %w: the connection is lost", what, engine.ErrUnavailable)
	}
	ctx, cancel := e.call(ctx)
	defer cancel()
	answer, err := s.conn.RequestMsgWithContext(ctx, m)
	// A stream that is new, or elects its leader, is not known to all servers yet.
	for errors.Is(err, nats.ErrNoResponders) && e.wait(ctx, retryPause) {
		answer, err = s.conn.RequestMsgWithContext(ctx, m)
	}
	switch {
	case errors.Is(err, nats.ErrNoResponders):
		return receipt{}, fmt.Errorf("jet: %s: %w: nobody answers: %w", what, engine.ErrUnavailable, context.Cause(ctx))
	case ctx.Err() != nil:
		return receipt{}, fmt.Errorf("jet: %s: %w: %w", what, engine.ErrUnknownOutcome, context.Cause(ctx))
	case errors.Is(err, nats.ErrConnectionClosed):
		return receipt{}, fmt.Errorf("jet: %s: %w: %w", what, engine.ErrUnknownOutcome, engine.ErrClosed)
	case err != nil:
		return receipt{}, fmt.Errorf("jet: %s: %w: %w", what, engine.ErrUnknownOutcome, err)
	}
	var r receipt
	if err := json.Unmarshal(answer.Data, &r); err != nil {
		return receipt{}, fmt.Errorf("jet: %s: %w: the answer is no receipt: %w", what, engine.ErrUnknownOutcome, err)
	}
	if r.Error != nil {
		return r, fmt.Errorf("jet: %s: %w", what, refused(r.Error))
	}
	return r, nil
}

// refused returns what an error of JetStream means.
func refused(err *jetstream.APIError) error {
	switch err.ErrorCode {
	case codeWrongSequence, codeWrongSequenceBut:
		text := err.Description[strings.LastIndexByte(err.Description, ' ')+1:]
		actual, parseErr := strconv.ParseUint(text, 10, 64)
		return errWrongSequence{actual, parseErr == nil}
	case codeNotAvailable, codeNotLeader, codeOffline, codeNotEnabled, codeConsumerCreate:
		// A consumer can't be made while the files of one of its name are still being removed.
		return fmt.Errorf("%w: %w", engine.ErrUnavailable, err)
	case codeNoResources, codeNoStorage:
		return fmt.Errorf("the store is %w: %w; make room on the disk", engine.ErrFull, err)
	case codeStoreFailed:
		if strings.Contains(err.Description, "maximum") {
			return fmt.Errorf("%w: %w; trim it, or raise MaxRecords and MaxBytes", engine.ErrFull, err)
		}
		return fmt.Errorf("%w: the store fails: %w", engine.ErrUnknownOutcome, err)
	}
	return err
}

// failed returns what an error of another call of JetStream means.
func (e *Engine) failed(ctx context.Context, what string, err error) error {
	var api *jetstream.APIError
	switch {
	case errors.As(err, &api):
		err = refused(api)
	case e.ctx.Err() != nil, errors.Is(err, nats.ErrConnectionClosed), errors.Is(err, jetstream.ErrConnectionClosed):
		err = engine.ErrClosed
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case errors.Is(err, nats.ErrNoResponders), errors.Is(err, jetstream.ErrNoStreamResponse), errors.Is(err, context.DeadlineExceeded), errors.Is(err, nats.ErrTimeout), errors.Is(err, nats.ErrDisconnected):
		err = fmt.Errorf("%w: %w", engine.ErrUnavailable, err)
	}
	return fmt.Errorf("jet: %s: %w", what, err)
}

// open returns a stream, and makes it if there is none.
func (e *Engine) open(ctx context.Context, s *store, what string, c jetstream.StreamConfig) (jetstream.Stream, error) {
	var stream jetstream.Stream
	c.Replicas = e.config.Replicas
	err := e.again(ctx, what, openWait, func(ctx context.Context) (err error) {
		if stream, err = s.js.Stream(ctx, c.Name); errors.Is(err, jetstream.ErrStreamNotFound) {
			stream, err = s.js.CreateStream(ctx, c)
		}
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
			stream, err = s.js.Stream(ctx, c.Name)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	is := stream.CachedInfo().Config
	if is.Metadata[metaKey] != c.Metadata[metaKey] {
		return nil, fmt.Errorf("jet: %s %w: %s, not %s; open it with that, or use another name", what, engine.ErrExists, orNone(is.Metadata[metaKey]), c.Metadata[metaKey])
	}
	return stream, nil
}

// metaKey is the metadata of a stream or consumer with the configuration that it was opened with.
const metaKey = "troupe"

func orNone(text string) string {
	if text == "" {
		return "one that Troupe has not made"
	}
	return text
}

// header is a message's header.
func header(m *nats.Msg, key, value string) { m.Header[key] = []string{value} }
