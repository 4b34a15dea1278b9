package strands

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/netio"
	"github.com/troupe-go/troupe/sched"
	"github.com/troupe-go/troupe/strand"
)

// ServerArg is the first argument of a process that serves for a run, so that its
// memory is the server's alone, and clients and server have nothing in common but
// the machine. It is not for people.
const ServerArg = "-one-server"

// Server echoes lines in the manner of the subject that args names, until stdin
// ends. It prints where it listens, and for each line of stdin how much memory the
// process has. It returns the exit status.
func Server(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	begin := map[string]func(ctx context.Context) (net.Addr, error){
		strandsName: strandServer, actorsName: actorServer, goroutinesName: goroutineServer,
	}[strings.Join(args, " ")]
	err := fmt.Errorf("no server is called %q", args)
	if begin != nil {
		err = answer(begin, stdin, stdout)
	}
	if err != nil {
		_, _ = fmt.Fprintln(stderr, err)
		return 1
	}
	return 0
}

func answer(begin func(ctx context.Context) (net.Addr, error), stdin io.Reader, stdout io.Writer) error {
	at, err := begin(context.Background())
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(stdout, at); err != nil {
		return err
	}
	questions := bufio.NewScanner(stdin)
	for questions.Scan() {
		n, err := resident()
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintln(stdout, n); err != nil {
			return err
		}
	}
	return questions.Err()
}

// resident is what the process has in memory that the system counts as its own,
// after what nobody needs was given back.
func resident() (int, error) {
	debug.FreeOSMemory()
	if text, err := os.ReadFile("/proc/self/statm"); err == nil { // On Linux.
		fields := strings.Fields(string(text))
		if len(fields) < 2 {
			return 0, fmt.Errorf("/proc/self/statm says %q", text)
		}
		pages, err := strconv.Atoi(fields[1])
		return pages * os.Getpagesize(), err
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.Sys - m.HeapReleased), nil
}

func strandServer(ctx context.Context) (net.Addr, error) {
	sc, err := sched.New(sched.Config{})
	if err != nil {
		return nil, err
	}
	l, err := strand.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	_, err = strand.Go(ctx, func(s *strand.Strand) error {
		for {
			c, err := l.Accept(s)
			if err != nil {
				return err
			}
			if _, err := strand.Go(s, func(s *strand.Strand) error { return echoLines(s, c) }); err != nil {
				return err
			}
		}
	}, strand.On(sc))
	return l.Addr(), err
}

func echoLines(s *strand.Strand, c *strand.Conn) error {
	defer c.Close() //nolint:errcheck // The peer has gone.
	var line []byte
	for {
		var err error
		if line, err = c.AppendLine(s, line[:0]); err != nil {
			return err
		}
		if _, err := c.Write(s, append(line, '\n')); err != nil {
			return err
		}
	}
}

func actorServer(ctx context.Context) (net.Addr, error) {
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		return nil, err
	}
	l, err := netio.Listen(ctx, sys, netio.ListenerConfig[string, string]{
		Codec: netio.Lines{},
		New: func(c *netio.Conn[string]) actor.Actor[string] {
			return actor.Func(func(ctx *actor.Context[string], line string) error { return c.Send(ctx, line) })
		},
	})
	if err != nil {
		return nil, err
	}
	return l.Addr(), nil
}

func goroutineServer(context.Context) (net.Addr, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go echoBuffered(c)
		}
	}()
	return l.Addr(), nil
}

func echoBuffered(c net.Conn) {
	defer c.Close() //nolint:errcheck // The peer has gone.
	r := bufio.NewReaderSize(c, 4<<10)
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return
		}
		if _, err := c.Write(line); err != nil {
			return
		}
	}
}

// process is a server in a process of its own.
type process struct {
	address string
	cmd     *exec.Cmd
	asking  io.WriteCloser
	answers *bufio.Reader
}

func startServer(subject string) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &process{cmd: exec.Command(self, ServerArg, subject)}
	p.cmd.Stderr = os.Stderr
	if p.asking, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.answers = bufio.NewReader(out)
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	p.address, err = p.line()
	if err != nil {
		_ = p.stop() // The first error says more.
		return nil, fmt.Errorf("the server of %s does not begin: %w", subject, err)
	}
	return p, nil
}

func (p *process) line() (string, error) {
	text, err := p.answers.ReadString('\n')
	return strings.TrimSuffix(text, "\n"), err
}

// memory asks the server how much memory it has.
func (p *process) memory() (int, error) {
	if _, err := io.WriteString(p.asking, "memory\n"); err != nil {
		return 0, err
	}
	text, err := p.line()
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(text)
}

// stop ends the server, and returns when it has.
func (p *process) stop() error {
	_ = p.asking.Close() // It may have ended by itself.
	return p.cmd.Wait()
}
