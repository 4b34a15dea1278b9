package main_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"os/exec"
	"strings"
	"testing"

	main "github.com/troupe-go/troupe/cmd/troupe"
	"github.com/troupe-go/troupe/cmd/troupe/internal/echo"
	"github.com/troupe-go/troupe/internal/patience"
)

// startEcho starts a server, and returns its address and what ends it.
func startEcho(t *testing.T, args ...string) (address string, end func() (status int, r echo.Report)) {
	t.Helper()
	ctx, cancel := context.WithCancel(patience.Context(t))
	said, stderr := io.Pipe()
	var stdout bytes.Buffer
	status := make(chan int, 1)
	go func() {
		status <- main.Run(ctx, append([]string{"echo", "--listen", "127.0.0.1:0", "--json"}, args...), &stdout, stderr)
		_ = stderr.Close() // A pipe in memory.
	}()
	lines := bufio.NewScanner(said)
	if !lines.Scan() {
		t.Fatal("the server says nothing")
	}
	_, address, _ = strings.Cut(lines.Text(), "echoing on ")
	go io.Copy(io.Discard, said) //nolint:errcheck // It ends with the server.
	return address, func() (int, echo.Report) {
		cancel()
		var r echo.Report
		code := <-status
		if err := json.Unmarshal(stdout.Bytes(), &r); err != nil {
			t.Errorf("%v in %q", err, stdout.String())
		}
		return code, r
	}
}

// exchange sends a text and returns all that comes back.
func exchange(t *testing.T, address, text string) string {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close() //nolint:errcheck // It was only read last.
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	if err := c.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(answer)
}

func TestEcho(t *testing.T) {
	address, end := startEcho(t, "--max-line", "10")
	if got, want := exchange(t, address, "one\n\xff\r\n0123456789x\nlast"), "one\n\xff\nerror: the line is longer than 10 bytes\nlast\n"; got != want {
		t.Errorf("it answered %q, want %q", got, want)
	}
	if status, r := end(); status != 130 || r.Connections != 1 || r.Echoes != 3 || r.TooLong != 1 || r.Failed != 0 || !r.Interrupted {
		t.Errorf("the status is %d, the report %+v", status, r)
	}
}

func TestEchoRaw(t *testing.T) {
	address, end := startEcho(t, "--raw")
	if got := exchange(t, address, "a\r\nb"); got != "a\r\nb" {
		t.Errorf("it answered %q", got)
	}
	if _, r := end(); r.Bytes != 4 {
		t.Errorf("the report is %+v", r)
	}
}

// TestEchoOfARealClient has a program of somebody else's talk to the server.
func TestEchoOfARealClient(t *testing.T) {
	address, end := startEcho(t)
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	tried := false
	for _, client := range [][]string{{"nc", "-N", host, port}, {"socat", "-t5", "-", "TCP:" + address}} {
		path, err := exec.LookPath(client[0])
		if err != nil {
			continue
		}
		tried = true
		cmd := exec.Command(path, client[1:]...)
		cmd.Stdin = strings.NewReader("hello\nand bye\n")
		if out, err := cmd.Output(); err != nil || string(out) != "hello\nand bye\n" {
			t.Errorf("%s got %q, %v", client[0], out, err)
		}
	}
	end()
	if !tried {
		t.Skip("neither nc nor socat is installed")
	}
}

func TestEchoClosesIdleConnections(t *testing.T) {
	address, end := startEcho(t, "--idle", "10ms")
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()                    //nolint:errcheck // It was only read.
	_, _ = io.WriteString(c, "no lin") // It may be closed already.
	if got, _ := io.ReadAll(c); len(got) != 0 {
		t.Errorf("it answered %q", got)
	}
	if _, r := end(); r.Idle != 1 {
		t.Errorf("the report is %+v", r)
	}
}

func TestEchoLoad(t *testing.T) {
	address, end := startEcho(t)
	status, stdout, stderr := run(t, "echo", "load", "--connect", address, "--clients", "3", "--size", "5", "--duration", "100ms", "--json")
	var r echo.LoadReport
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || status != 0 {
		t.Fatalf("the status is %d, %v: %s%s", status, err, stdout, stderr)
	}
	if r.Requests == 0 || r.Failed != 0 || r.P50 <= 0 || r.P50 > r.P99 || r.P99 > r.Max {
		t.Errorf("the report is %+v", r)
	}
	// Each client has waited for its last answer, too.
	if _, served := end(); served.Connections != 3 || served.Echoes != r.Requests || served.Failed != 0 {
		t.Errorf("the server says %+v, the clients %+v", served, r)
	}
	if status, _, stderr := run(t, "echo", "load", "--connect", address, "--duration", "50ms"); status != 1 || !strings.Contains(stderr, "refused") {
		t.Errorf("without a server the status is %d: %s", status, stderr)
	}
}

func TestEchoWrongUse(t *testing.T) {
	for _, args := range [][]string{
		{"--listen", "nowhere"}, {"--max-line", "0"}, {"--workers", "0"}, {"--idle", "-1s"}, {"--duration", "-1s"}, {"extra"},
		{"--workers", "100000"}, {"--stdin", "--listen", "127.0.0.1:0"}, {"load", "--workers", "0"}, {"load", "--workers", "100000"},
		{"load", "--clients", "0"}, {"load", "--size", "0"}, {"load", "--duration", "0s"}, {"load", "--connect", "x"}, {"load", "extra"},
	} {
		if status, _, stderr := run(t, append([]string{"echo"}, args...)...); status != 2 || !strings.HasPrefix(stderr, "troupe: ") {
			t.Errorf("%v has status %d: %s", args, status, stderr)
		}
	}
	address, end := startEcho(t)
	if status, _, stderr := run(t, "echo", "--listen", address); status != 1 || !strings.Contains(stderr, "in use") {
		t.Errorf("an address in use has status %d: %s", status, stderr)
	}
	end()
}
