package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// goSource returns the source directory of the installed Go. It asks the go command, since a program may have been
// built on another machine.
func goSource(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	root := strings.TrimSpace(string(out))
	switch {
	case err != nil:
		return "", usageError{fmt.Errorf("can't ask go env GOROOT for the default directory: %w; name one: troupe demo DIR", err)}
	case root == "":
		return "", usageError{fmt.Errorf("go env GOROOT is empty, so there is no default directory; name one: troupe demo DIR")}
	}
	return filepath.Join(root, "src"), nil
}
