package postgres_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// server is a PostgreSQL server for the tests of this package, on a socket in a folder of
// its own. It ends with the tests, also when they are killed.
type server struct {
	dir, bin string
	cmd      *exec.Cmd
	alive    io.Closer // The server ends when it is closed.
	log      bytes.Buffer
}

// errNoServer is the reason to skip tests.
var errNoServer = errors.New("no PostgreSQL server to start: on Debian, apt-get install postgresql")

var shared struct {
	once sync.Once
	s    *server
	err  error
}

// theServer returns the server of all tests, which starts with the first that needs it.
func theServer(tb testing.TB) *server {
	tb.Helper()
	shared.once.Do(func() { shared.s, shared.err = newServer() })
	if errors.Is(shared.err, errNoServer) {
		tb.Skip(shared.err)
	}
	if shared.err != nil {
		tb.Fatal(shared.err)
	}
	return shared.s
}

// endServer ends the server, if there is one.
func endServer() {
	if s := shared.s; s != nil {
		s.end()
		_ = os.RemoveAll(s.dir) // It is a temporary folder.
	}
}

// binaries returns the folder with initdb and postgres.
func binaries() (string, error) {
	places, _ := filepath.Glob("/usr/lib/postgresql/*/bin") // Debian's; the pattern is well-formed.
	if path, err := exec.LookPath("postgres"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			places = append(places, filepath.Dir(path))
		}
	}
	for _, dir := range places {
		if _, err := os.Stat(filepath.Join(dir, "initdb")); err == nil {
			return dir, nil
		}
	}
	return "", errNoServer
}

// newServer makes an empty database, and starts its server.
func newServer() (s *server, err error) {
	s = &server{}
	if s.bin, err = binaries(); err != nil {
		return nil, err
	}
	if s.dir, err = os.MkdirTemp("", "pg"); err != nil { // A short name, as the path of a socket is limited.
		return nil, err
	}
	if os.Getuid() == 0 {
		uid, gid, err := postgresUser()
		if err != nil {
			return nil, errors.Join(err, os.RemoveAll(s.dir))
		}
		if err := os.Chown(s.dir, uid, gid); err != nil {
			return nil, err
		}
	}
	init := s.command("initdb", "-D", s.dir+"/data", "-U", "test", "-A", "trust", "-N", "-E", "UTF8", "--locale=C")
	if out, err := init.CombinedOutput(); err != nil {
		return nil, errors.Join(fmt.Errorf("initdb: %w\n%s", err, out), os.RemoveAll(s.dir))
	}
	if err := s.start(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(s.dir))
	}
	return s, nil
}

// postgresUser returns the user that runs servers: PostgreSQL refuses to run as root.
func postgresUser() (uid, gid int, err error) {
	u, err := user.Lookup("postgres")
	if err != nil {
		return 0, 0, fmt.Errorf("%w (%w)", errNoServer, err)
	}
	uid, err = strconv.Atoi(u.Uid)
	if err != nil {
		return 0, 0, err
	}
	gid, err = strconv.Atoi(u.Gid)
	return uid, gid, err
}

func (s *server) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(s.bin, name), args...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	asPostgres(cmd)
	return cmd
}

// start starts the server, and returns when it answers. A shell stands between: it ends
// the server when the pipe to this process breaks.
func (s *server) start() error {
	const script = `"$@" & pid=$!
{ read -r line; kill -QUIT $pid; } <&3 3<&- &
wait $pid`
	s.cmd = s.command("postgres", "-D", s.dir+"/data", "-k", s.dir, "-c", "listen_addresses=", "-c", "max_connections=200")
	s.cmd.Args = append([]string{"sh", "-c", script, "sh", s.cmd.Path}, s.cmd.Args[1:]...)
	s.cmd.Path = "/bin/sh"
	read, write, err := os.Pipe()
	if err != nil {
		return err
	}
	s.log.Reset()
	s.cmd.ExtraFiles, s.alive = []*os.File{read}, write
	s.cmd.Stdout, s.cmd.Stderr = &s.log, &s.log
	s.cmd.WaitDelay = time.Minute
	err = s.cmd.Start()
	if err = errors.Join(err, read.Close()); err != nil {
		return errors.Join(err, write.Close())
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, s.url(""))
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-ctx.Done():
			s.end()
			return fmt.Errorf("the server does not answer: %w\n%s", err, &s.log)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// end ends the server, and waits for it.
func (s *server) end() {
	_ = s.alive.Close() // It may be closed already.
	_ = s.cmd.Wait()    // As above.
}

// kill has the server end as by kill -9, with all its processes.
func (s *server) kill(t *testing.T) {
	t.Helper()
	text, err := os.ReadFile(s.dir + "/data/postmaster.pid")
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(line)
	if err != nil {
		t.Fatal(err)
	}
	killWithChildren(t, pid)
	s.end()
}

// url returns the address of the database, with the tables in a schema.
func (s *server) url(schema string) string {
	url := "postgres:///postgres?user=test&host=" + s.dir
	if schema != "" {
		url += "&search_path=" + schema
	}
	return url
}

// schema returns the address of a new, empty schema.
func (s *server) schema(tb testing.TB, name string) string {
	tb.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, s.url(""))
	if err != nil {
		tb.Fatal(err)
	}
	_, err = conn.Exec(ctx, "CREATE SCHEMA IF NOT EXISTS "+name)
	if err := errors.Join(err, conn.Close(ctx)); err != nil {
		tb.Fatal(err)
	}
	return s.url(name)
}
