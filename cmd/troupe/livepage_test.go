package main_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	main "github.com/troupe-go/troupe/cmd/troupe"
	"github.com/troupe-go/troupe/inspect"
	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/sched"
)

// The page is there when the work is done, with a shop that goes on and is recorded, and ends with the interrupt.
func TestDemoServesPage(t *testing.T) {
	lane.Short(t)
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	r, w := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- main.Run(ctx, []string{"demo", "--http", ":0", smallTree(t)}, io.Discard, w)
		_ = w.Close()
	}()
	url := ""
	for lines := bufio.NewScanner(r); lines.Scan(); {
		if _, at, ok := strings.Cut(lines.Text(), "stays at "); ok {
			url, _, _ = strings.Cut(at, " ")
			break
		}
	}
	go io.Copy(io.Discard, r) //nolint:errcheck // It ends with the command.
	if !strings.HasPrefix(url, "http://127.0.0.1:") {
		t.Fatalf("got the address %q", url)
	}
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Get(url + "api/actors?name=cart-")
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil || !strings.Contains(string(body), `"cart-books"`) {
		t.Errorf("got %q, %v", body, err)
	}
	resp, err = (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Get(url + "api/recording")
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("the recording has status %d", resp.StatusCode)
	}
	interrupt()
	if status := <-ended; status != 0 {
		t.Errorf("got status %d, want 0, as the work was done", status)
	}
}

// The recording of the work can be read, and shows its actors.
func TestDemoRecords(t *testing.T) {
	lane.Short(t)
	file := filepath.Join(t.TempDir(), "recording.json")
	status, _, stderr := run(t, "demo", "--record", file, smallTree(t))
	if status != 0 || !strings.Contains(stderr, file) {
		t.Fatalf("got status %d and %q", status, stderr)
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // It is read.
	rec, err := inspect.ReadRecording(f)
	if err != nil || !slices.ContainsFunc(rec.Events, func(e sched.Event) bool { return strings.HasPrefix(e.Label.Name, "tokenizer") }) {
		t.Errorf("got %v, or no tokenizer", err)
	}
}

func TestDemoPageErrors(t *testing.T) {
	for _, c := range []struct {
		args   string
		status int
		part   string
	}{
		{"--linger", 2, "--linger needs --http"},
		{"--http nonsense", 1, "port"},
		{"--record /nowhere/at/all", 2, "--record"},
		{"--http 0.0.0.0:0", 1, "Token"},
		{"--http :0 --token short", 1, "16"},
	} {
		args := append(append([]string{"demo"}, strings.Fields(c.args)...), smallTree(t))
		status, _, stderr := run(t, args...)
		if status != c.status || !strings.Contains(stderr, c.part) {
			t.Errorf("demo %s: got %d and %q, want %d and %q", c.args, status, stderr, c.status, c.part)
		}
	}
}
