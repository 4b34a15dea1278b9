package main_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/internal/lane"
	"github.com/troupe-go/troupe/internal/pgserver"
)

// The bank is killed again and again, and its books balance.
func TestBooksBalanceAfterKills(t *testing.T) {
	crashes := "2"
	if lane.Checking() {
		crashes = "10"
	}
	checkBooks(t, crashes, "--file", filepath.Join(t.TempDir(), "bank.db"))
}

// The same with the events in PostgreSQL.
func TestBooksBalanceInPostgreSQL(t *testing.T) {
	lane.Check(t)
	if _, err := pgserver.Find(); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	server, err := pgserver.New()
	if err != nil {
		t.Fatal(err)
	}
	defer server.Remove()
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer server.End()
	checkBooks(t, "5", "--postgres", server.URL("public"))
}

// checkBooks has the bank killed, and checks what it says in the end.
func checkBooks(t *testing.T, crashes string, store ...string) {
	t.Helper()
	out, err := exec.Command(build(t), append([]string{"--crash", crashes, "--transfers", "60"}, store...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"crashed at commit", "the books balance: 10 accounts, 10000 cents, 60 transfers"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the bank does not say %q:\n%s", want, out)
		}
	}
	for _, none := range []string{" 0 completed", " 0 refused", " 0 undone"} {
		if strings.Contains(string(out), none) {
			t.Errorf("a kind of transfer was not tried:\n%s", out)
		}
	}
}

// build returns the path of the program.
func build(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "bank")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// TestPageShowsTheJournal has the live page say of which stream an account is, its version, and what was committed.
func TestPageShowsTheJournal(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, build(t), "--http", "localhost:0", "--transfers", "60")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill() //nolint:errcheck // It has ended, if the test passes.
	page, balanced := "", false
	lines := bufio.NewScanner(out)
	for !balanced && lines.Scan() {
		if url, ok := strings.CutPrefix(lines.Text(), "the page is at "); ok {
			page = strings.TrimSuffix(url, "/")
		}
		balanced = strings.HasPrefix(lines.Text(), "the books balance")
	}
	if page == "" || !balanced {
		t.Fatalf("the page is at %q, the books balance: %v", page, balanced)
	}
	readUntil(t, ctx, page+"/api/stream?view=overview", "Event-sourced actors", "Commit latency", "Events in a commit", "Recovery")
	var actors struct {
		Actors []struct{ PID, Name string }
	}
	if err := json.Unmarshal([]byte(fetch(t, page+"/api/actors?search=account+1000")), &actors); err != nil || len(actors.Actors) != 1 {
		t.Fatalf("the account 1000 among the actors: %+v (%v)", actors, err)
	}
	account := fetch(t, page+"/api/actors/"+actors.Actors[0].PID)
	for _, want := range []string{`"Stream"`, `account/1000`, `"Version"`, `"Snapshot"`, `"Recovery"`} {
		if !strings.Contains(account, want) {
			t.Errorf("the page of an account does not say %s:\n%s", want, account)
		}
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("after an interrupt: %v", err)
	}
}

// readUntil reads a stream of the page's until each text has come.
func readUntil(t *testing.T, ctx context.Context, url string, texts ...string) {
	t.Helper()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close() //nolint:errcheck // It was read as far as it is needed.
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 1<<24)
	for len(texts) > 0 && lines.Scan() {
		texts = slices.DeleteFunc(texts, func(text string) bool { return strings.Contains(lines.Text(), text) })
	}
	if len(texts) > 0 {
		t.Errorf("%s does not say %q (%v)", url, texts, lines.Err())
	}
}

func fetch(t *testing.T, url string) string {
	t.Helper()
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(answer.Body)
	if err := errors.Join(err, answer.Body.Close()); err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v: %s", url, answer.Status, err, text)
	}
	return string(text)
}
