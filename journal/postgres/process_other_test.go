//go:build !linux

package postgres_test

import (
	"os/exec"
	"testing"
)

func asPostgres(*exec.Cmd) {}

func killWithChildren(t *testing.T, _ int) {
	t.Helper()
	t.Skip("processes are found in /proc, which this system does not have")
}
