//go:build !race && !invariants

package netio_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/netio"
)

// maxGrowth is how much 1,000 peers that never read may take of a server with the default
// settings, in bytes: twice MaxBufferedTotal, since the collector lets the heap double, and some.
const maxGrowth = 400 << 20

// TestThousandPeersThatNeverRead has 1,000 peers send frames of 1 MiB to an echo in a process of
// its own, and read nothing. That process stays small, and serves another peer meanwhile.
func TestThousandPeersThatNeverRead(t *testing.T) {
	if path := os.Getenv("TROUPE_NETIO_SERVE"); path != "" {
		serveHere(t, path)
		return
	}
	lane.Nightly(t) // It depends on the speed of the machine how soon enough peers are cut off.
	const peers, cuts = 1000, 3
	ctx := guarded(t)
	path := filepath.Join(t.TempDir(), "socket")
	server := exec.CommandContext(ctx, os.Args[0], "-test.run", "^"+t.Name()+"$")
	server.Env = append(os.Environ(), "TROUPE_NETIO_SERVE="+path)
	in, err := server.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	report := func() (rss, cutOff, accepted int) {
		line, err := lines.ReadString('\n')
		if err == nil {
			_, err = fmt.Sscan(line, &rss, &cutOff, &accepted)
		}
		if err != nil {
			t.Fatalf("the server said %q: %v", line, err)
		}
		return rss, cutOff, accepted
	}
	before, _, _ := report()
	good := dialUnix(t, path)
	exchange(t, good, frame(2<<10))

	ctx, cancel := context.WithCancel(ctx)
	data := frame(1 << 20)
	var pouring sync.WaitGroup
	for range peers {
		pouring.Go(func() {
			for ctx.Err() == nil { // A peer that was cut off connects again.
				if c, err := net.Dial("unix", path); err == nil {
					free := context.AfterFunc(ctx, func() { _ = c.Close() })
					<-pour(c, 1<<20, data) //nolint:errcheck // It was cut off.
					_ = c.Close()
					free()
				}
			}
		})
	}
	after, cutOff, accepted := before, 0, 0
	for cutOff < cuts || accepted < peers {
		exchange(t, good, frame(2<<10))
		if _, err := fmt.Fprintln(in); err != nil {
			t.Fatal(err)
		}
		rss := 0
		rss, cutOff, accepted = report()
		after = max(after, rss)
	}
	cancel()
	pouring.Wait()
	t.Logf("the server grew from %d to %d MB; %d of %d connections were cut off", before>>20, after>>20, cutOff, accepted)
	if after-before > maxGrowth {
		t.Errorf("the server grew by %d bytes, want at most %d", after-before, maxGrowth)
	}
	_ = in.Close() // That ends the server.
	_ = server.Wait()
}

func dialUnix(tb testing.TB, path string) net.Conn {
	tb.Helper()
	c, err := net.Dial("unix", path)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = c.Close() })
	return c
}

// serveHere serves at a Unix socket, and tells its memory and figures, first and for each line that it reads.
func serveHere(t *testing.T, path string) {
	ctx := guarded(t)
	l, err := netio.Listen(ctx, newSystem(t), netio.ListenerConfig[[]byte, []byte]{
		Network: "unix", Addr: path, Codec: netio.Frames{},
		New: func(c *netio.Conn[[]byte]) actor.Actor[[]byte] {
			return actor.Func(func(ctx *actor.Context[[]byte], frame []byte) error { return c.Send(ctx, frame) })
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(os.Stdin)
	for again := true; again; again = lines.Scan() {
		st := l.Stats()
		_, _ = fmt.Fprintln(os.Stdout, highWater(t), st.CutOff, st.Accepted)
	}
	os.Exit(0) // The peers may be connected still.
}

// highWater returns the most memory that the process has had, in bytes.
func highWater(tb testing.TB) (bytes int) {
	tb.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		tb.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	if _, err := fmt.Sscan(rest, &bytes); err != nil {
		tb.Fatal(err)
	}
	return bytes << 10
}
