package actor_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/patience"
)

// epollLoop is an event loop around epoll, as a program may have it already. It
// watches a pipe of its own, and lets actors live beside that.
type epollLoop struct {
	epoll, doorbell int
	pump            *actor.Pump
	onEvent         func(fd int32) (more bool)
}

func newEpollLoop(sys *actor.System) (*epollLoop, error) {
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, err
	}
	doorbell, err := unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	l := &epollLoop{epoll: epoll, doorbell: doorbell}
	one := binary.NativeEndian.AppendUint64(nil, 1)
	l.pump, err = actor.NewPump(sys, func() {
		_, _ = unix.Write(doorbell, one) // It fails only if the counter is full, which wakes the loop too.
	})
	if err != nil {
		return nil, err
	}
	return l, l.watch(doorbell)
}

func (l *epollLoop) watch(fd int) error {
	return unix.EpollCtl(l.epoll, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(fd)})
}

// run goes on until onEvent returns false.
func (l *epollLoop) run() error {
	events := make([]unix.EpollEvent, 16)
	counter := make([]byte, 8)
	for {
		hint, err := l.pump.Run(time.Millisecond)
		if err != nil {
			return err
		}
		timeout := -1
		if hint == actor.ParkPoll {
			timeout = 0
		}
		n, err := unix.EpollWait(l.epoll, events, timeout)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return err
		}
		for _, e := range events[:max(0, n)] {
			if int(e.Fd) == l.doorbell {
				_, _ = unix.Read(l.doorbell, counter)
			} else if !l.onEvent(e.Fd) {
				return nil
			}
		}
	}
}

func (l *epollLoop) close() {
	_ = unix.Close(l.epoll)
	_ = unix.Close(l.doorbell)
}

// An actor lives inside an epoll loop: its handler and the loop's own events
// share what they own without locks, and messages wake the loop by an eventfd.
func ExamplePump_epoll() {
	ctx := context.Background()
	sys := exampleSystem()
	defer stop(sys)
	loop, err := newEpollLoop(sys)
	if err != nil {
		log.Fatal(err)
	}
	defer loop.close()
	var pipe [2]int
	if err := unix.Pipe2(pipe[:], unix.O_CLOEXEC); err != nil {
		log.Fatal(err)
	}
	if err := loop.watch(pipe[0]); err != nil {
		log.Fatal(err)
	}
	seen := 0 // The loop's own.
	loop.onEvent = func(int32) bool {
		fmt.Println("the pipe is ready, after", seen, "messages")
		return false
	}
	counter, err := actor.Spawn(sys, actor.Func(func(ctx *actor.Context[string], _ string) error {
		seen++
		return nil
	}), actor.WithPump(loop.pump))
	if err != nil {
		log.Fatal(err)
	}
	go func() {
		for range 3 {
			_ = counter.Send(ctx, "hello")
		}
		_ = counter.Drain(ctx)
		_, _ = unix.Write(pipe[1], []byte("x"))
	}()
	if err := loop.run(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// the pipe is ready, after 3 messages
}

// BenchmarkPumpWakeUp is how long it takes from a Send to the handler in an
// epoll loop that sleeps.
func BenchmarkPumpWakeUp(b *testing.B) {
	sys := newSystem(b, actor.Config{})
	loop, err := newEpollLoop(sys)
	if err != nil {
		b.Fatal(err)
	}
	var pipe [2]int
	if err := unix.Pipe2(pipe[:], unix.O_CLOEXEC); err != nil {
		b.Fatal(err)
	}
	if err := loop.watch(pipe[0]); err != nil {
		b.Fatal(err)
	}
	loop.onEvent = func(int32) bool { return false }
	ended := make(chan error, 1)
	go func() { ended <- loop.run() }()
	took := make(chan time.Duration, 1)
	ref := spawn(b, sys, func(_ *actor.Context[time.Time], sent time.Time) error {
		took <- time.Since(sent)
		return nil
	}, actor.WithPump(loop.pump))
	ctx := patience.Context(b)
	all := make([]time.Duration, 0, b.N)
	b.ResetTimer()
	for range b.N {
		for until := time.Now().Add(20 * time.Microsecond); time.Now().Before(until); {
		} // So that the loop sleeps.
		if err := ref.Send(ctx, time.Now()); err != nil {
			b.Fatal(err)
		}
		all = append(all, <-took)
	}
	b.StopTimer()
	slices.Sort(all)
	b.ReportMetric(float64(all[len(all)/2].Nanoseconds()), "p50-ns")
	b.ReportMetric(float64(all[len(all)*99/100].Nanoseconds()), "p99-ns")
	if err := ref.Stop(ctx); err != nil {
		b.Fatal(err)
	}
	if _, err := unix.Write(pipe[1], []byte("x")); err != nil {
		b.Fatal(err)
	}
	if err := <-ended; err != nil {
		b.Fatal(err)
	}
	loop.close()
}
