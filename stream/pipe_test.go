package stream_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/netio"
	"github.com/troupe-go/troupe/simtest"
	"github.com/troupe-go/troupe/strand"
	"github.com/troupe-go/troupe/stream"
)

type linePipe = stream.PipeConfig[string, string]

// lineSink is an actor that hands on what it gets.
func lineSink(tb testing.TB, at actor.Spawner, topic *stream.Live[string], capacity int) (actor.Ref[string], chan string) {
	tb.Helper()
	got := make(chan string)
	ref := liveSpawn(tb, at, func(_ *actor.Context[string], line string) error {
		got <- line
		return nil
	}, actor.WithCapacity(actor.Data, capacity))
	liveSubscribe(tb, topic, ref)
	return ref, got
}

func startPipe(t *testing.T, sys *actor.System, cfg linePipe) (p *stream.Piped, far *strand.Conn) {
	t.Helper()
	near, far := strand.Pipe()
	cfg.Codec = netio.Lines{}
	p, err := stream.Pipe(liveContext(t), sys, near, cfg)
	must(t, err)
	t.Cleanup(func() {
		_ = far.Close()
		<-p.Done()
	})
	return p, far
}

func TestAPipePublishesAllThatThePeerSends(t *testing.T) {
	t.Parallel()
	ctx, sys := liveContext(t), liveSystem(t, actor.Config{})
	topic := liveTopic[string](t, sys, "lines")
	_, got := lineSink(t, sys, topic, 4)
	p, far := startPipe(t, sys, linePipe{In: topic})
	go func() {
		for i := range 100 {
			_, _ = fmt.Fprintln(far.Net(ctx), i)
		}
		_ = far.CloseWrite()
	}()
	for i := range 100 {
		wantSame(t, "line", <-got, fmt.Sprint(i))
	}
	<-p.Done()
	wantIs(t, p.Err(), nil)
	wantSame(t, "messages in", p.Traffic().MessagesIn, 100)
}

func TestASlowSubscriberStopsTheReading(t *testing.T) {
	t.Parallel()
	ctx, sys := liveContext(t), liveSystem(t, actor.Config{})
	topic := liveTopic[string](t, sys, "lines")
	_, got := lineSink(t, sys, topic, 2)
	p, far := startPipe(t, sys, linePipe{In: topic})
	const lines = 5000
	go func() {
		for i := range lines {
			_, _ = fmt.Fprintln(far.Net(ctx), i)
		}
		_ = far.CloseWrite()
	}()
	patience.Until(t, ctx, func() bool {
		return topic.Stats().Waiting == 1 && p.Traffic().MessagesIn >= 3+16
	})
	// What fits into the buffer of a connection in memory, behind the few that have left it.
	if in := p.Traffic().BytesIn; in > 4<<10+40*5 {
		t.Errorf("%d bytes were read", in)
	}
	for i := range lines {
		wantSame(t, "line", <-got, fmt.Sprint(i))
	}
	<-p.Done()
	wantIs(t, p.Err(), nil)
}

func TestAPipeSendsThePeerWhatIsPublishedAndThenTheEnd(t *testing.T) {
	t.Parallel()
	ctx, sys := liveContext(t), liveSystem(t, actor.Config{})
	in, out := liveTopic[string](t, sys, "in"), liveTopic[string](t, sys, "out")
	_, got := lineSink(t, sys, in, 4)
	p, far := startPipe(t, sys, linePipe{In: in, Out: out, Where: func(s string) bool { return s != "secret" }})
	for _, s := range []string{"one", "secret", "two"} {
		must(t, out.Publish(ctx, s))
	}
	must(t, out.Close(ctx))
	all, err := io.ReadAll(far.Net(ctx))
	must(t, err)
	wantSame(t, "the peer got", string(all), "one\ntwo\n")
	_, err = far.Write(ctx, []byte("late\n")) // Its own side goes on.
	must(t, err)
	wantSame(t, "line", <-got, "late")
	must(t, far.CloseWrite())
	<-p.Done()
	wantIs(t, p.Err(), nil)
}

func TestAPeerThatHasEndedItsSideGetsMoreIfItIsHalfOpen(t *testing.T) {
	t.Parallel()
	for _, halfOpen := range []bool{false, true} {
		ctx, sys := liveContext(t), liveSystem(t, actor.Config{})
		in, out := liveTopic[string](t, sys, "in"), liveTopic[string](t, sys, "out")
		p, far := startPipe(t, sys, linePipe{In: in, Out: out, HalfOpen: halfOpen})
		must(t, out.Publish(ctx, "before"))
		must(t, far.CloseWrite())
		if halfOpen {
			must(t, out.Publish(ctx, "after"))
			must(t, out.Close(ctx))
		}
		all, err := io.ReadAll(far.Net(ctx))
		must(t, err)
		want := "before\n"
		if halfOpen {
			want += "after\n"
		}
		wantSame(t, "the peer got", string(all), want)
		<-p.Done()
		wantIs(t, p.Err(), nil)
		wantSame(t, "subscribers", out.Stats().Subscribers, 0)
	}
}

func TestAPipeTellsWhyItHasEnded(t *testing.T) {
	t.Parallel()
	t.Run("by bytes that are no message", func(t *testing.T) {
		ctx, sys := liveContext(t), liveSystem(t, actor.Config{})
		in, out := liveTopic[string](t, sys, "in"), liveTopic[string](t, sys, "out")
		_, got := lineSink(t, sys, in, 4)
		p, far := startPipe(t, sys, linePipe{In: in, Out: out})
		_, err := far.Write(ctx, []byte("good\n\xff\n"))
		must(t, err)
		wantSame(t, "line", <-got, "good")
		<-p.Done()
		var wrong *netio.DecodeError
		if !errors.As(p.Err(), &wrong) {
			t.Errorf("got %v, want a DecodeError", p.Err())
		}
		wantSame(t, "subscribers", out.Stats().Subscribers, 0)
	})
	t.Run("by the close of the topic", func(t *testing.T) {
		ctx, sys := liveContext(t), liveSystem(t, actor.Config{})
		in := liveTopic[string](t, sys, "in")
		p, far := startPipe(t, sys, linePipe{In: in})
		must(t, in.Close(ctx))
		_, err := far.Write(ctx, []byte("late\n"))
		must(t, err)
		<-p.Done()
		wantIs(t, p.Err(), stream.ErrLiveClosed)
	})
	t.Run("by a message that can't be encoded", func(t *testing.T) {
		ctx, sys := liveContext(t), liveSystem(t, actor.Config{})
		out := liveTopic[string](t, sys, "out")
		p, _ := startPipe(t, sys, linePipe{Out: out})
		must(t, out.Publish(ctx, "two\nlines"))
		<-p.Done()
		wantIs(t, p.Err(), netio.ErrEncode)
	})
	t.Run("by a peer that is too slow", func(t *testing.T) {
		ctx, sys := liveContext(t), liveSystem(t, actor.Config{})
		out := liveTopic[string](t, sys, "out")
		p, _ := startPipe(t, sys, linePipe{Out: out, WhenFull: stream.EndSubscription, Buffer: 1})
		line := strings.Repeat("x", 1<<10)
		for out.Stats().Subscribers > 0 {
			must(t, out.Publish(ctx, line))
		}
		<-p.Done()
		wantIs(t, p.Err(), stream.ErrTooSlow)
	})
}

func TestAPipeWithoutALimit(t *testing.T) {
	t.Parallel()
	ctx, sys := liveContext(t), liveSystem(t, actor.Config{})
	in := liveTopic[string](t, sys, "in")
	_, got := lineSink(t, sys, in, 1)
	near, far := strand.Pipe()
	const size = 5 << 20 // More than the default allows.
	_, err := stream.Pipe(ctx, sys, near, linePipe{In: in, Codec: netio.Lines{MaxSize: size}, MaxBuffered: -1})
	must(t, err)
	go func() { _, _ = far.Write(ctx, append(bytes.Repeat([]byte("x"), size), '\n')) }()
	wantSame(t, "bytes", len(<-got), size)
	must(t, far.Close())
}

func TestAPeerThatDoesNotReadHoldsUpPublishers(t *testing.T) {
	t.Parallel()
	ctx, sys := liveContext(t), liveSystem(t, actor.Config{})
	out := liveTopic[string](t, sys, "out")
	_, far := startPipe(t, sys, linePipe{Out: out})
	line := strings.Repeat("x", 1<<10)
	const lines = 100
	done := make(chan error, 1)
	go func() {
		for range lines {
			if err := out.Publish(ctx, line); err != nil {
				done <- err
			}
		}
		done <- out.Close(ctx)
	}()
	patience.Until(t, ctx, func() bool { return out.Stats().Waiting == 1 })
	all, err := io.ReadAll(far.Net(ctx))
	must(t, err)
	must(t, <-done)
	wantSame(t, "bytes", len(all), lines*(len(line)+1))
}

func TestACloseOfAPipePublishesWhatWasRead(t *testing.T) {
	t.Parallel()
	ctx, sys := liveContext(t), liveSystem(t, actor.Config{})
	in := liveTopic[string](t, sys, "in")
	_, got := lineSink(t, sys, in, 1)
	p, far := startPipe(t, sys, linePipe{In: in})
	_, err := far.Write(ctx, []byte("one\ntwo\nthree\nfour\nfive\n"))
	must(t, err)
	patience.Until(t, ctx, func() bool { return p.Traffic().MessagesIn == 5 })
	must(t, p.Close())
	for _, want := range []string{"one", "two", "three", "four", "five"} {
		wantSame(t, "line", <-got, want)
	}
	<-p.Done()
	wantIs(t, p.Err(), nil)
	must(t, p.Close())
}

func TestTheSystemEndsPipes(t *testing.T) {
	t.Parallel()
	ctx := liveContext(t)
	sys, err := actor.NewSystem(actor.Config{})
	must(t, err)
	in, out := liveTopic[string](t, sys, "in"), liveTopic[string](t, sys, "out")
	near, far := strand.Pipe()
	p, err := stream.Pipe(ctx, sys, near, stream.PipeConfig[string, string]{Codec: netio.Lines{}, In: in, Out: out})
	must(t, err)
	must(t, sys.Stop(ctx))
	<-p.Done()
	if _, err := io.ReadAll(far.Net(ctx)); err != nil {
		t.Errorf("the connection was not closed: %v", err)
	}
}

func TestBytesOfAReaderArePublished(t *testing.T) {
	t.Parallel()
	ctx, sys := liveContext(t), liveSystem(t, actor.Config{})
	topic := liveTopic[string](t, sys, "lines")
	var got []string
	ref := liveSpawn(t, sys, func(_ *actor.Context[string], s string) error { got = append(got, s); return nil }, actor.WithCapacity(actor.Data, 2))
	liveSubscribe(t, topic, ref)
	text := "a\n" + strings.Repeat("b", 9000) + "\nlast"
	for _, r := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text)), iotest.DataErrReader(strings.NewReader(text))} {
		n, err := stream.PipeReader(ctx, r, netio.Codec[string, string](netio.Lines{}), topic)
		must(t, err)
		wantSame(t, "messages", n, 3)
	}
	wrong := errors.New("wrong")
	for _, c := range []struct {
		r    io.Reader
		n    int
		want error
	}{
		{iotest.ErrReader(wrong), 0, wrong},
		{io.MultiReader(strings.NewReader("x\ny"), iotest.ErrReader(wrong)), 1, wrong},
		{strings.NewReader("x\n\xff\n"), 1, netio.ErrUTF8},
		{emptyReader{}, 0, io.ErrNoProgress},
	} {
		n, err := stream.PipeReader(ctx, c.r, netio.Codec[string, string](netio.Lines{}), topic)
		wantIs(t, err, c.want)
		wantSame(t, "messages", n, c.n)
	}
	_, err := stream.PipeReader(patience.Ended(), strings.NewReader("x\n"), netio.Codec[string, string](netio.Lines{}), topic)
	wantIs(t, err, context.Canceled)
	_, err = stream.PipeReader(ctx, strings.NewReader("x"), netio.Codec[string, string](hungry{}), topic)
	must(t, err)
	_, err = stream.PipeReader(ctx, endless{}, netio.Codec[string, string](hungry{}), topic)
	wantIs(t, err, netio.ErrTooLong)
	must(t, topic.Close(ctx))
	n, err := stream.PipeReader(ctx, strings.NewReader("x\n"), netio.Codec[string, string](netio.Lines{}), topic)
	wantIs(t, err, stream.ErrLiveClosed)
	wantSame(t, "messages", n, 0)
	must(t, ref.Drain(ctx))
	wantSame(t, "how many", len(got), 3*3+2)
	wantSame(t, "the long one", len(got[1]), 9000)
}

type emptyReader struct{}

func (emptyReader) Read([]byte) (int, error) { return 0, nil }

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// hungry is a codec whose messages have no end.
type hungry struct{ netio.Lines }

func (hungry) NewDecoder() (netio.Decoder[string], error) { return hungry{}, nil }

func (hungry) Decode(data []byte, final bool) (int, string, bool, error) {
	if final {
		return len(data), "", false, nil
	}
	return 0, "", false, nil
}

func TestAWriterGetsTheBytesOfWhatIsPublished(t *testing.T) {
	t.Parallel()
	ctx, sys := liveContext(t), liveSystem(t, actor.Config{})
	for _, broken := range []bool{false, true} {
		topic := liveTopic[string](t, sys, "lines")
		var w bytes.Buffer
		type result struct {
			n   int
			err error
		}
		done := make(chan result, 1)
		go func() {
			n, err := stream.PipeWriter(ctx, topic, &w, netio.Codec[string, string](netio.Lines{}), stream.Reader[string]{Buffer: 2})
			done <- result{n, err}
		}()
		patience.Until(t, ctx, func() bool { return topic.Stats().Subscribers == 1 })
		must(t, topic.Publish(ctx, "one"))
		if broken {
			must(t, topic.Publish(ctx, "a\nb"))
		} else {
			must(t, topic.Publish(ctx, "two"))
			must(t, topic.Close(ctx))
		}
		r := <-done
		if broken {
			wantIs(t, r.err, netio.ErrEncode)
			wantSame(t, "written", w.String(), "one\n")
			wantSame(t, "how many", r.n, 1)
			continue
		}
		must(t, r.err)
		wantSame(t, "written", w.String(), "one\ntwo\n")
		wantSame(t, "how many", r.n, 2)
	}
}

func TestWrongUseOfPipesIsAnError(t *testing.T) {
	t.Parallel()
	ctx, sys := liveContext(t), liveSystem(t, actor.Config{})
	topic := liveTopic[string](t, sys, "lines")
	near, far := strand.Pipe()
	defer func() { _ = errors.Join(near.Close(), far.Close()) }()
	closed := liveTopic[string](t, sys, "closed")
	must(t, closed.Close(ctx))
	for _, c := range []struct {
		sys  *actor.System
		conn *strand.Conn
		cfg  linePipe
		want error
	}{
		{sys, near, linePipe{Codec: netio.Lines{}}, stream.ErrNoLive},
		{sys, near, linePipe{In: topic}, netio.ErrConfig},
		{nil, near, linePipe{In: topic, Codec: netio.Lines{}}, netio.ErrConfig},
		{sys, nil, linePipe{In: topic, Codec: netio.Lines{}}, netio.ErrConfig},
		{sys, near, linePipe{In: topic, Codec: netio.Lines{}, MaxBuffered: -2}, netio.ErrConfig},
		{sys, near, linePipe{Out: topic, Codec: netio.Lines{MaxSize: -2}}, netio.ErrConfig},
		{sys, near, linePipe{Out: topic, Codec: netio.Lines{}, Buffer: -1}, stream.ErrSubscriber},
		{sys, near, linePipe{Out: closed, Codec: netio.Lines{}}, stream.ErrLiveClosed},
	} {
		_, err := stream.Pipe(ctx, c.sys, c.conn, c.cfg)
		wantIs(t, err, c.want)
	}
	wantSame(t, "subscribers", topic.Stats().Subscribers, 0)
	_, err := near.Write(ctx, []byte("x")) // It is still the caller's.
	must(t, err)
	_, err = stream.PipeReader[string, string](ctx, nil, netio.Lines{}, topic)
	wantIs(t, err, netio.ErrConfig)
	_, err = stream.PipeReader[string, string](ctx, strings.NewReader(""), netio.Lines{}, nil)
	wantIs(t, err, stream.ErrNoLive)
	_, err = stream.PipeReader[string, string](ctx, strings.NewReader(""), netio.Lines{MaxSize: -1}, topic)
	wantIs(t, err, netio.ErrConfig)
	_, err = stream.PipeWriter[string](ctx, topic, nil, netio.Lines{}, stream.Reader[string]{})
	wantIs(t, err, netio.ErrConfig)
	_, err = stream.PipeWriter[string](ctx, (*stream.Live[string])(nil), io.Discard, netio.Lines{}, stream.Reader[string]{})
	wantIs(t, err, stream.ErrNoLive)
	var none *stream.Piped
	for _, p := range []*stream.Piped{none, {}} {
		if p.Close() == nil || p.Err() == nil {
			t.Error("a pipe that is none has no error")
		}
		<-p.Done()
		wantSame(t, "traffic", p.Traffic(), netio.Traffic{})
	}
}

// Under any schedule, all that a peer has sent is published in order, and all that is published before the close of Out
// comes to the peer.
func TestPipesInSimulation(t *testing.T) {
	simtest.Run(t, liveSchedules(500), func(s *simtest.Sim) {
		const lines = 4
		sys := s.System(actor.Config{})
		in, out := liveTopic[string](s, sys, "in"), liveTopic[string](s, sys, "out")
		var got []string
		ref := liveSpawn(s, sys, func(_ *actor.Context[string], line string) error { got = append(got, line); return nil },
			actor.WithName("subscriber"), actor.WithCapacity(actor.Data, 1))
		liveSubscribe(s, in, ref)
		near, far := strand.Pipe()
		p, err := stream.Pipe(s.Context(), sys, near, stream.PipeConfig[string, string]{Codec: netio.Lines{}, In: in, Out: out})
		must(s, err)
		publisher := liveSpawn(s, sys, func(ctx *actor.Context[int], n int) error {
			if n == lines {
				return out.Close(ctx)
			}
			return out.Publish(ctx, fmt.Sprint(n))
		}, actor.WithName("publisher"))
		for n := range lines + 1 {
			must(s, publisher.Send(s.Context(), n))
		}
		var read string
		peer := liveSpawn(s, sys, func(ctx *actor.Context[int], n int) error {
			if n < lines {
				_, err := fmt.Fprintln(far.Net(ctx), n)
				return err
			}
			all, err := io.ReadAll(far.Net(ctx))
			read = string(all)
			return errors.Join(err, far.CloseWrite())
		}, actor.WithName("peer"))
		for n := range lines + 1 {
			must(s, peer.Send(s.Context(), n))
		}
		s.RunUntilIdle()
		wantSame(s, "published", got, []string{"0", "1", "2", "3"})
		wantSame(s, "the peer got", read, "0\n1\n2\n3\n")
		select {
		case <-p.Done():
			wantIs(s, p.Err(), nil)
		default:
			s.Error("the pipe goes on")
		}
	})
}
