//go:build !linux

package pgserver

import (
	"errors"
	"os/exec"
)

func asPostgres(*exec.Cmd) {}

func killWithChildren(int) error {
	return errors.New("processes are found in /proc, which this system does not have")
}
