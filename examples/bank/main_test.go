package main_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/internal/lane"
)

// The bank is killed again and again, and its books balance.
func TestBooksBalanceAfterKills(t *testing.T) {
	crashes := "2"
	if lane.Checking() {
		crashes = "10"
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "bank")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(program, "--crash", crashes, "--file", filepath.Join(dir, "bank.db"), "--transfers", "60").CombinedOutput()
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
