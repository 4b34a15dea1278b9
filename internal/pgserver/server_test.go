package pgserver_test

import (
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/internal/leak"
	"github.com/troupe-go/troupe/internal/pgserver"
)

func TestMain(m *testing.M) { leak.Main(m) }

// A server ends, starts again, is killed, and leaves nothing behind.
func TestServer(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the processes of a server are found in /proc, which this system does not have")
	}
	s, err := pgserver.New()
	if errors.Is(err, pgserver.ErrNone) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	_, dir, _ := strings.Cut(s.URL(""), "host=")
	s.End()
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	if err := s.Kill(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dir + "/data"); err != nil {
		t.Errorf("a killed server has lost its data: %v", err)
	}
	s.Remove()
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder %s is left (%v)", dir, err)
	}
}
