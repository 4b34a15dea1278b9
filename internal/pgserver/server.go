// Package pgserver starts PostgreSQL servers for tests and measurements.
//
//	s, err := pgserver.New() // ErrNone where there is none to start.
//	pool, err := pgxpool.New(ctx, s.URL("name_of_a_schema"))
//
// A server has its data in a temporary folder of its own and listens on a socket there. It
// ends with the process that started it, also if that is killed.
package pgserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Server is a PostgreSQL server. Its methods must not be called by several goroutines at a
// time.
type Server struct {
	dir, bin string
	cmd      *exec.Cmd
	alive    *os.File // The server ends when it is closed.
	log      bytes.Buffer
}

// ErrNone is returned by New when no server can be started here. Its text says what to do.
var ErrNone = errors.New("no PostgreSQL server to start: on Debian, apt-get install postgresql")

// Find returns the folder with the programs of a server, or ErrNone.
func Find() (string, error) {
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
	return "", ErrNone
}

// New makes an empty database, and starts its server.
func New() (s *Server, err error) {
	s = &Server{}
	if s.bin, err = Find(); err != nil {
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
	if err := s.Start(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(s.dir))
	}
	return s, nil
}

// postgresUser returns the user that runs servers: PostgreSQL refuses to run as root.
func postgresUser() (uid, gid int, err error) {
	u, err := user.Lookup("postgres")
	if err != nil {
		return 0, 0, fmt.Errorf("%w (%w)", ErrNone, err)
	}
	uid, err = strconv.Atoi(u.Uid)
	if err != nil {
		return 0, 0, err
	}
	gid, err = strconv.Atoi(u.Gid)
	return uid, gid, err
}

func (s *Server) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(s.bin, name), args...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	asPostgres(cmd)
	return cmd
}

// Start starts the server again after it has ended, and returns when it answers. A shell
// stands between: it ends the server when the pipe to this process breaks, and then removes
// what a killed process leaves behind.
func (s *Server) Start() error {
	const script = `"$@" & pid=$!
{ read -r line || : > orphaned; kill -QUIT $pid; } <&3 3<&- &
wait $pid
[ ! -e orphaned ] || rm -rf "$PWD"`
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
		out, err := s.command("pg_isready", "-q", "-h", s.dir, "-U", "test", "-d", "postgres").CombinedOutput()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			s.End()
			return fmt.Errorf("the server does not answer: %w %s\n%s", err, out, &s.log)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// End ends the server, and waits for it. Its data stay.
func (s *Server) End() {
	_, _ = s.alive.WriteString("end\n") // It may be closed already, and so below.
	_ = s.alive.Close()
	_ = s.cmd.Wait()
}

// Remove ends the server and removes its data.
func (s *Server) Remove() {
	s.End()
	_ = os.RemoveAll(s.dir) // It is a temporary folder.
}

// Kill has the server end as by kill -9, with all its processes, as a crash of the machine
// would.
func (s *Server) Kill() error {
	text, err := os.ReadFile(s.dir + "/data/postmaster.pid")
	if err != nil {
		return err
	}
	line, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(line)
	if err != nil {
		return err
	}
	err = killWithChildren(pid)
	s.End()
	return err
}

// URL returns the address of the database, with its tables in a schema. An empty one
// stands for the schema public. It does not make the schema.
func (s *Server) URL(schema string) string {
	url := "postgres:///postgres?user=test&host=" + s.dir
	if schema != "" {
		url += "&search_path=" + schema
	}
	return url
}
