package pgserver

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// asPostgres has the command run as a user that PostgreSQL accepts.
func asPostgres(cmd *exec.Cmd) {
	if os.Getuid() != 0 {
		return
	}
	if uid, gid, err := postgresUser(); err == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	}
}

// killWithChildren kills a process and its children, the parent first, as a crash of the
// machine would.
func killWithChildren(pid int) (err error) {
	children := childrenOf(pid)
	for _, p := range append([]int{pid}, children...) {
		if failed := syscall.Kill(p, syscall.SIGKILL); failed != nil && p == pid {
			err = fmt.Errorf("kill %d: %w", p, failed)
		}
	}
	return err
}

func childrenOf(pid int) (children []int) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // The pattern is well-formed.
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // It has ended.
		}
		_, rest, _ := strings.Cut(string(text), ") ") // The name of the command may have spaces.
		fields := strings.Fields(rest)
		if child, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil && len(fields) > 1 && fields[1] == strconv.Itoa(pid) {
			children = append(children, child)
		}
	}
	return children
}
