package jet_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/engine"
	"github.com/troupe-go/troupe/engine/jet"
)

var loopbacks = []string{"127.0.0.1:7422", "127.0.0.1:7423", "127.0.0.1:7424"}

func TestWrongConfigurationsAreRefused(t *testing.T) {
	dir := t.TempDir()
	far := []string{"10.0.0.1:7422", "10.0.0.2:7422", "10.0.0.3:7422"}
	for want, c := range map[string]jet.Config{
		"Window 1;":                         {Window: 1},
		"Window -1;":                        {Window: -1},
		"Window 1000000000;":                {Window: 1e9},
		"without Servers":                   {Password: "secret"},
		`the name "a.b" of a node`:          {Name: "a.b"},
		"Servers together with Dir":         {Servers: []string{"nats://127.0.0.1"}, Dir: dir},
		"Replicas 2":                        {Servers: []string{"nats://127.0.0.1"}, Replicas: 2},
		"Servers[0] is no URL":              {Servers: []string{"nats://u:secret@%zz"}},
		"has a password":                    {Servers: []string{"nats://u:secret@127.0.0.1"}},
		`the scheme "http"`:                 {Servers: []string{"http://127.0.0.1"}},
		"Core has 2":                        {Name: "a", Cluster: jet.Cluster{Name: "c", Core: loopbacks[:2]}},
		"Core has \"127.0.0.1:7422\" twice": {Name: "a", Cluster: jet.Cluster{Name: "c", Core: []string{loopbacks[0], loopbacks[1], loopbacks[0]}}},
		`Core has "nowhere"`:                {Name: "a", Cluster: jet.Cluster{Name: "c", Core: []string{"nowhere", loopbacks[1], loopbacks[0]}}},
		`the name "" of a node`:             {Cluster: jet.Cluster{Name: "c", Core: loopbacks}},
		`the name "" of a cluster`:          {Name: "a", Cluster: jet.Cluster{Core: loopbacks}},
		"troupe cluster init":               {Name: "a", Cluster: jet.Cluster{Name: "c", Core: far}},
		`"0.0.0.0:7422" is not a loopback`:  {Name: "a", Cluster: jet.Cluster{Name: "c", Core: loopbacks, Listen: "0.0.0.0:7422"}},
		"without Cluster.Password":          {Name: "a", Cluster: jet.Cluster{Name: "c", Core: far, User: "u"}},
	} {
		if c.Dir == "" && len(c.Servers) == 0 {
			c.Dir = filepath.Join(dir, "never")
		}
		refuses(t, c, engine.ErrInvalid, want)
	}
	if _, err := os.Stat(filepath.Join(dir, "never")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a refused configuration makes its directory: %v", err)
	}
}

func TestForeignDirectoryIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "letter.txt"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	refuses(t, jet.Config{Dir: dir}, jet.ErrForeign, `has "letter.txt"`)
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("Open has changed a foreign directory: %v, %v", entries, err)
	}
	refuses(t, jet.Config{Dir: filepath.Join(dir, "letter.txt")}, nil, "choose a directory")
}

func TestDirectoryOfAnotherStoreIsRefused(t *testing.T) {
	const other = `{"format":1,"cluster":"shop","node":"a"}`
	cluster := jet.Cluster{Name: "bank", Core: loopbacks}
	for name, c := range map[string]struct {
		marker string
		config jet.Config
		want   error
		text   string
	}{
		"made alone, in a cluster":      {`{"format":1}`, jet.Config{Name: "a", Cluster: cluster}, jet.ErrOtherStore, "troupe cluster adopt"},
		"of another cluster":            {other, jet.Config{Name: "a", Cluster: cluster}, jet.ErrOtherStore, `node "a" of cluster "shop"`},
		"of another node":               {`{"format":1,"cluster":"bank","node":"b"}`, jet.Config{Name: "a", Cluster: cluster}, jet.ErrOtherStore, `node "b" of cluster "bank"`},
		"of a cluster, opened as alone": {other, jet.Config{}, jet.ErrOtherStore, "is opened as a store that was made alone"},
		"of a later release":            {`{"format":9}`, jet.Config{}, nil, "the format 9"},
		"with a torn marker":            {`{"for`, jet.Config{}, jet.ErrForeign, "restore the file"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "troupe.json"), []byte(c.marker), 0o600); err != nil {
				t.Fatal(err)
			}
			c.config.Dir = dir
			refuses(t, c.config, c.want, c.text)
		})
	}
}

func TestDirectoryThatIsOpenIsRefused(t *testing.T) {
	dir := t.TempDir()
	e := open(t, jet.Config{Dir: dir})
	refuses(t, jet.Config{Dir: dir}, jet.ErrInUse, "stop the other program")
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	open(t, jet.Config{Dir: dir})
}

func TestTakenPortIsNamed(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	address := l.Addr().String()
	core := []string{address, loopbacks[1], loopbacks[2]}
	refuses(t, jet.Config{Dir: t.TempDir(), Name: "a", Cluster: jet.Cluster{Name: "c", Core: core, Listen: address}}, nil, address)
}

// journal collects what is logged.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func TestAloneNothingListensAndEverythingIsLoggedBySlog(t *testing.T) {
	var logged journal
	before := listeners(t)
	e := open(t, jet.Config{Dir: t.TempDir(), Log: slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	if after := listeners(t); after > before {
		t.Errorf("an engine that is alone has opened %d sockets that listen", after-before)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if text := logged.text.String(); !strings.Contains(text, "component=nats-server") {
		t.Errorf("the server has logged %q", text)
	}
}

// listeners returns how many sockets of this process listen.
func listeners(t *testing.T) (n int) {
	t.Helper()
	mine := map[string]bool{}
	fds, err := filepath.Glob("/proc/self/fd/*")
	if err != nil || len(fds) == 0 {
		t.Skip("there is no /proc to count sockets")
	}
	for _, fd := range fds {
		if link, err := os.Readlink(fd); err == nil {
			mine[link] = true
		}
	}
	for _, table := range []string{"/proc/self/net/tcp", "/proc/self/net/tcp6"} {
		text, err := os.ReadFile(table)
		if err != nil {
			continue
		}
		for _, line := range strings.Split(string(text), "\n")[1:] {
			if f := strings.Fields(line); len(f) > 9 && f[3] == "0A" && mine[fmt.Sprintf("socket:[%s]", f[9])] {
				n++
			}
		}
	}
	return n
}
