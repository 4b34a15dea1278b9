package netio_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/internal/patience"
	"github.com/troupe-go/troupe/netio"
)

type (
	frameConfig = netio.ListenerConfig[[]byte, []byte]
	frameConn   = *netio.Conn[[]byte]
)

// serveFrames listens for frames, and returns the ends of its connections as well.
func serveFrames(tb testing.TB, cfg frameConfig) (*netio.Listener, <-chan netio.End) {
	tb.Helper()
	ends := make(chan netio.End, 64)
	if cfg.Codec == nil {
		cfg.Codec = netio.Frames{}
	}
	cfg.OnEnd = func(e netio.End) { ends <- e }
	if cfg.New == nil {
		cfg.New = func(c frameConn) actor.Actor[[]byte] {
			return actor.Func(func(ctx *actor.Context[[]byte], frame []byte) error { return c.Send(ctx, frame) })
		}
	}
	l, err := netio.Listen(guarded(tb), newSystem(tb), cfg)
	if err != nil {
		tb.Fatal(err)
	}
	return l, ends
}

func frame(size int) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(size)), make([]byte, size)...)
}

// pour writes data n times, until the connection fails.
func pour(c net.Conn, n int, data []byte) <-chan error {
	done := make(chan error, 1)
	go func() {
		var err error
		for i := 0; i < n && err == nil; i++ {
			_, err = c.Write(data)
		}
		done <- err
	}()
	return done
}

// exchange sends a frame and reads its echo.
func exchange(tb testing.TB, c net.Conn, data []byte) {
	tb.Helper()
	sent := pour(c, 1, data)
	got := make([]byte, len(data))
	if _, err := io.ReadFull(c, got); err != nil || !bytes.Equal(got, data) {
		tb.Fatalf("the echo of %d bytes: %v", len(data), err)
	}
	if err := <-sent; err != nil {
		tb.Fatal(err)
	}
}

func await[T any](tb testing.TB, ctx context.Context, c <-chan T) T {
	tb.Helper()
	select {
	case v := <-c:
		return v
	case <-ctx.Done():
		tb.Fatal("nothing came")
		panic("unreachable")
	}
}

// stuck is an actor that counts frames once its gate is open.
func stuck(open <-chan struct{}, handled chan<- int) func(frameConn) actor.Actor[[]byte] {
	return func(frameConn) actor.Actor[[]byte] {
		return actor.Func(func(_ *actor.Context[[]byte], frame []byte) error {
			<-open
			handled <- len(frame)
			return nil
		})
	}
}

// TestBufferOfAConnection has a peer send faster than the actor handles: nothing is read beyond
// what may be buffered, and nothing is lost.
func TestBufferOfAConnection(t *testing.T) {
	const limit, size, n = 256 << 10, 32 << 10, 200
	ctx := guarded(t)
	open, handled := make(chan struct{}), make(chan int, n)
	l, _ := serveFrames(t, frameConfig{MaxBuffered: limit, New: stuck(open, handled)})
	p := dial(t, l)
	sent := pour(p, n, frame(size))
	patience.Until(t, ctx, func() bool { return l.Stats().Paused == 1 })
	st := l.Stats()
	if st.Buffered > limit || st.Buffered < limit/2 {
		t.Errorf("%d bytes are buffered, where %d may be", st.Buffered, limit)
	}
	if st.Traffic.BytesIn > limit+128<<10 {
		t.Errorf("%d bytes were read, where %d may be buffered", st.Traffic.BytesIn, limit)
	}
	close(open)
	for range n {
		if got := await(t, ctx, handled); got != size {
			t.Fatalf("a frame has %d bytes", got)
		}
	}
	if err := await(t, ctx, sent); err != nil {
		t.Error(err)
	}
	patience.Until(t, ctx, func() bool { st := l.Stats(); return st.Buffered <= 128<<10 && st.Paused == 0 && st.CutOff == 0 })
	_ = p.Close()
	patience.Until(t, ctx, func() bool { st := l.Stats(); return st.Open == 0 && st.Buffered == 0 })
}

// TestMessageLargerThanTheBuffer ends a connection whose message has no room by itself.
func TestMessageLargerThanTheBuffer(t *testing.T) {
	ctx := guarded(t)
	l, ends := serveFrames(t, frameConfig{MaxBuffered: 256 << 10})
	p := dial(t, l)
	exchange(t, p, frame(150<<10))
	sent := pour(p, 1, frame(300<<10))
	if e := await(t, ctx, ends); !errors.Is(e.Err, netio.ErrBufferLimit) {
		t.Errorf("the connection ended with %v", e.Err)
	}
	<-sent //nolint:errcheck // It was cut off.
	patience.Until(t, ctx, func() bool { st := l.Stats(); return st.Failed == 1 && st.Open == 0 && st.Buffered == 0 })
	if n := l.Stats().CutOff; n != 0 {
		t.Errorf("%d peers were cut off for others", n)
	}
}

// TestBufferOfAListener has many peers send to actors that stand still: all together take no
// more than the limit, a peer with a small message is served, and nobody is cut off.
func TestBufferOfAListener(t *testing.T) {
	const limit, size, peers, n = 512 << 10, 32 << 10, 10, 60
	ctx := guarded(t)
	open, handled := make(chan struct{}), make(chan int, peers*n)
	inner := stuck(open, handled)
	l, _ := serveFrames(t, frameConfig{MaxBuffered: limit / 2, MaxBufferedTotal: limit, New: func(c frameConn) actor.Actor[[]byte] {
		slow := inner(c)
		return actor.Func(func(ctx *actor.Context[[]byte], frame []byte) error {
			if len(frame) < size {
				return c.Send(ctx, frame)
			}
			return slow.Receive(ctx, frame)
		})
	}})
	netio.SetPatience(l, time.Hour)
	var sent []<-chan error
	for range peers {
		sent = append(sent, pour(dial(t, l), n, frame(size)))
	}
	patience.Until(t, ctx, func() bool { return l.Stats().Paused == peers })
	netio.SetPatience(l, time.Millisecond)                                         // Slow actors are no reason to cut peers off.
	if st := l.Stats(); st.Buffered > limit+peers*8<<10 || st.Buffered < limit/2 { // The buffers of small reads do not wait for room.
		t.Errorf("%d bytes are buffered, where %d may be", st.Buffered, limit)
	}
	small := dial(t, l)
	for range 100 {
		exchange(t, small, frame(100))
	}
	if st := l.Stats(); st.Paused != peers {
		t.Errorf("%d of %d peers wait", st.Paused, peers)
	}
	netio.Look(l)
	netio.SetPatience(l, time.Hour) // A machine in use may well take longer than a millisecond to read what has come.
	close(open)
	for range peers * n {
		await(t, ctx, handled)
	}
	for _, c := range sent {
		if err := await(t, ctx, c); err != nil {
			t.Error(err)
		}
	}
	if st := l.Stats(); st.CutOff != 0 || st.Failed != 0 {
		t.Errorf("%d peers were cut off, %d failed", st.CutOff, st.Failed)
	}
}

// TestPeersThatNeverReadAreCutOff has peers that do not read take all memory: those are cut
// off, and one that reads is served.
func TestPeersThatNeverReadAreCutOff(t *testing.T) {
	const size, peers = 128 << 10, 8
	ctx := guarded(t)
	l, ends := serveFrames(t, frameConfig{MaxBuffered: 512 << 10, MaxBufferedTotal: 1 << 20})
	good := dial(t, l)
	exchange(t, good, frame(2<<10))
	netio.SetPatience(l, 50*time.Millisecond)
	for range peers {
		p := dial(t, l)
		if err := p.SetReadBuffer(16 << 10); err != nil {
			t.Fatal(err)
		}
		pour(p, 1<<20, frame(size))
	}
	if e := await(t, ctx, ends); !errors.Is(e.Err, netio.ErrBufferLimit) {
		t.Errorf("a peer that does not read was cut off with %v", e.Err)
	}
	for range 20 {
		exchange(t, good, frame(2<<10))
	}
	if st := l.Stats(); st.CutOff == 0 || st.CutOff > peers || st.Buffered > 2<<20 {
		t.Errorf("%+v", st)
	}
}

// TestLargeFramesOfAPeerThatReadsAreServed has peers that do not read take all memory, again
// and again, beside one that reads and sends frames of more than half of what a connection may
// buffer. It waits for memory, and gets each echo; only the others are cut off.
func TestLargeFramesOfAPeerThatReadsAreServed(t *testing.T) {
	lane.Check(t)
	const large, size, peers, waves, exchanges = 300 << 10, 128 << 10, 4, 2, 4
	ctx := guarded(t)
	l, ends := serveFrames(t, frameConfig{MaxBuffered: 512 << 10, MaxBufferedTotal: 1 << 20})
	netio.SetPatience(l, 200*time.Millisecond)
	good := dial(t, l)
	exchange(t, good, frame(large))
	for wave := range waves {
		cut := l.Stats().CutOff
		for range peers {
			p := dial(t, l)
			if err := p.SetReadBuffer(16 << 10); err != nil {
				t.Fatal(err)
			}
			pour(p, 1<<20, frame(size))
		}
		for range exchanges {
			exchange(t, good, frame(large))
		}
		patience.Until(t, ctx, func() bool { return l.Stats().CutOff > cut })
		for range exchanges {
			exchange(t, good, frame(large))
		}
		if st := l.Stats(); st.Buffered > 2<<20 || st.CutOff > uint64((wave+1)*peers) {
			t.Errorf("wave %d: %+v", wave, st)
		}
	}
	for n := l.Stats().CutOff; n > 0; n-- {
		if e := await(t, ctx, ends); !errors.Is(e.Err, netio.ErrBufferLimit) || e.Remote.String() == good.LocalAddr().String() {
			t.Errorf("%v ended with %v", e.Remote, e.Err)
		}
	}
	exchange(t, good, frame(large))
}

// TestUnfinishedMessagesAreCutOff has peers begin large messages that they do not end, and
// take all memory by that.
func TestUnfinishedMessagesAreCutOff(t *testing.T) {
	const size = 400 << 10
	ctx := guarded(t)
	l, ends := serveFrames(t, frameConfig{MaxBuffered: 512 << 10, MaxBufferedTotal: 1 << 20})
	netio.SetPatience(l, 50*time.Millisecond)
	for range 4 {
		pour(dial(t, l), 1, frame(size)[:size-1])
	}
	if e := await(t, ctx, ends); !errors.Is(e.Err, netio.ErrBufferLimit) {
		t.Errorf("a peer that does not end its message was cut off with %v", e.Err)
	}
	patience.Until(t, ctx, func() bool { return l.Stats().Paused == 0 })
	if st := l.Stats(); st.CutOff == 0 || st.CutOff > 2 || st.Buffered > 1<<20 {
		t.Errorf("%+v", st)
	}
}

// TestPeerWhoseMessageWaitsIsNotCutOff has peers take all memory with messages that they do not
// end. Another peer began its message before them. When it sends the rest, that waits for memory, and
// the others are cut off.
func TestPeerWhoseMessageWaitsIsNotCutOff(t *testing.T) {
	const size, part = 400 << 10, 100 << 10
	ctx := guarded(t)
	l, ends := serveFrames(t, frameConfig{MaxBuffered: 512 << 10, MaxBufferedTotal: 1 << 20})
	netio.SetPatience(l, time.Hour)
	read := uint64(0)
	begin := func(c net.Conn, data []byte) {
		pour(c, 1, data)
		read += uint64(len(data))
		patience.Until(t, ctx, func() bool { return l.Stats().Traffic.BytesIn == read })
	}
	good, data := dial(t, l), frame(size)
	begin(good, data[:part])
	for range 2 { // The second one exceeds the limit.
		begin(dial(t, l), data[:size-1])
	}
	pour(dial(t, l), 1, data[:size-1])
	patience.Until(t, ctx, func() bool { return l.Stats().Paused == 1 })
	sent := pour(good, 1, data[part:])
	patience.Until(t, ctx, func() bool { return l.Stats().Paused == 2 })
	netio.SetPatience(l, 50*time.Millisecond)
	if _, err := io.ReadFull(good, make([]byte, len(data))); err != nil {
		t.Errorf("the peer whose message waited: %v", err)
	}
	<-sent //nolint:errcheck // The echo has come.
	if e := await(t, ctx, ends); !errors.Is(e.Err, netio.ErrBufferLimit) || e.Remote.String() == good.LocalAddr().String() {
		t.Errorf("%v ended with %v", e.Remote, e.Err)
	}
}

// TestMessagesThatWaitForEachOther has peers send messages that do not fit together, and that each wait for the
// memory of the others. All are handled, and nobody is cut off.
func TestMessagesThatWaitForEachOther(t *testing.T) {
	const size, part, peers = 2 << 20, 276 << 10, 24 // With a part of each there is room, and with one whole and a part of the others there is not.
	ctx := guarded(t)
	open, handled := make(chan struct{}), make(chan int, peers)
	close(open)
	l, _ := serveFrames(t, frameConfig{Codec: netio.Frames{MaxSize: size}, MaxBuffered: 4 << 20, MaxBufferedTotal: 8 << 20, New: stuck(open, handled)})
	netio.SetPatience(l, time.Hour)
	var all []net.Conn
	for i := range peers {
		all = append(all, dial(t, l))
		pour(all[i], 1, frame(size)[:part])
		patience.Until(t, ctx, func() bool { return l.Stats().Traffic.BytesIn == uint64(i+1)*part })
	}
	for _, p := range all {
		pour(p, 1, frame(size)[part:])
	}
	most := int64(0)
	patience.Until(t, ctx, func() bool { most = max(most, l.Stats().Buffered); return len(handled) == peers })
	if most > 16<<20 { // One connection may have its bytes and its message beyond the limit.
		t.Errorf("%d bytes were buffered at once", most)
	}
	for range peers {
		if got := await(t, ctx, handled); got != size {
			t.Errorf("a message of %d bytes was handled, want %d", got, size)
		}
	}
	patience.Until(t, ctx, func() bool { return l.Stats().Buffered == 0 })
	if st := l.Stats(); st.CutOff != 0 || st.Paused != 0 {
		t.Errorf("%+v", st)
	}
}

// TestStopOfPausedConnections stops a listener whose connections wait for memory: what was
// read is handled.
func TestStopOfPausedConnections(t *testing.T) {
	const size, peers = 32 << 10, 6
	ctx := guarded(t)
	open, handled := make(chan struct{}), make(chan int, 1000)
	l, _ := serveFrames(t, frameConfig{MaxBuffered: 128 << 10, MaxBufferedTotal: 256 << 10, New: stuck(open, handled)})
	for range peers {
		pour(dial(t, l), 100, frame(size))
	}
	patience.Until(t, ctx, func() bool { return l.Stats().Paused == peers })
	read := l.Stats().Traffic.MessagesIn
	stopped := make(chan error, 1)
	go func() { stopped <- l.Stop(ctx) }()
	close(open)
	if err := await(t, ctx, stopped); err != nil {
		t.Error(err)
	}
	if st := l.Stats(); st.Traffic.MessagesIn < read || uint64(len(handled)) != st.Traffic.MessagesIn || st.Buffered != 0 || st.Paused != 0 {
		t.Errorf("%d of %d messages were handled; %+v", len(handled), st.Traffic.MessagesIn, st)
	}
}

// TestKilledActorGivesItsMemoryBack kills an actor whose connection waits for memory.
func TestKilledActorGivesItsMemoryBack(t *testing.T) {
	ctx := guarded(t)
	open := make(chan struct{})
	defer close(open)
	actors := make(chan func() error, 1)
	l, ends := serveFrames(t, frameConfig{MaxBuffered: 128 << 10, New: func(frameConn) actor.Actor[[]byte] {
		return actor.Func(func(ctx *actor.Context[[]byte], _ []byte) error {
			sys, id := ctx.System(), ctx.PID()
			actors <- func() error { return sys.Kill(id) }
			<-open
			return nil
		})
	}})
	pour(dial(t, l), 100, frame(32<<10))
	kill := await(t, ctx, actors)
	patience.Until(t, ctx, func() bool { return l.Stats().Paused == 1 })
	if err := kill(); err != nil {
		t.Fatal(err)
	}
	await(t, ctx, ends)
	patience.Until(t, ctx, func() bool { st := l.Stats(); return st.Buffered == 0 && st.Paused == 0 && st.Open == 0 })
}

// TestBufferOfAnAttachedStream bounds what a stream of Attach buffers.
func TestBufferOfAnAttachedStream(t *testing.T) {
	const size, n = 16 << 10, 100
	ctx := guarded(t)
	sys := newSystem(t)
	open, entered, handled := make(chan struct{}), make(chan struct{}, n), make(chan int, n)
	ref, err := actor.Spawn(sys, actor.Func(func(_ *actor.Context[[]byte], frame []byte) error {
		entered <- struct{}{}
		<-open
		handled <- len(frame)
		return nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := net.Pipe()
	conn, err := netio.AttachStream(ctx, sys, ref, ours, netio.AttachConfig[[]byte, []byte]{
		Codec: netio.Frames{}, Ended: func(error) []byte { return nil }, MaxBuffered: 64 << 10,
	})
	if err != nil {
		t.Fatal(err)
	}
	sent := pour(theirs, n, frame(size))
	await(t, ctx, entered)
	patience.Until(t, ctx, func() bool { return netio.Paused(conn) })
	if got := conn.Traffic().MessagesIn; got > 4 {
		t.Errorf("%d messages of %d bytes are buffered", got, size)
	}
	close(open)
	for range n {
		await(t, ctx, handled)
	}
	if err := await(t, ctx, sent); err != nil {
		t.Error(err)
	}
	_ = conn.Close()
	_ = theirs.Close()
	await(t, ctx, conn.Done())
}

// TestBufferSettings has limits that make no sense refused.
func TestBufferSettings(t *testing.T) {
	cfg := func(one, total int64) frameConfig {
		return frameConfig{Codec: netio.Frames{}, New: func(frameConn) actor.Actor[[]byte] { return nil }, MaxBuffered: one, MaxBufferedTotal: total}
	}
	for _, c := range []frameConfig{cfg(-2, 0), cfg(0, -2), cfg(0, 4<<20), cfg(1<<20, 2<<20-1), cfg(-1, 1<<30)} {
		if _, err := netio.NewListener(c); !errors.Is(err, netio.ErrConfig) {
			t.Errorf("MaxBuffered %d and MaxBufferedTotal %d: %v", c.MaxBuffered, c.MaxBufferedTotal, err)
		}
	}
	for _, c := range []frameConfig{cfg(0, 0), cfg(-1, -1), cfg(-1, 0), cfg(1<<30, 0), cfg(1<<20, 2<<20), cfg(0, -1)} {
		if _, err := netio.NewListener(c); err != nil {
			t.Errorf("MaxBuffered %d and MaxBufferedTotal %d: %v", c.MaxBuffered, c.MaxBufferedTotal, err)
		}
	}
}
