package strands_test

import (
	"strings"
	"testing"

	"github.com/troupe-go/troupe/cmd/troupe/internal/strands"
)

func TestServerOfUnknownSubject(t *testing.T) {
	var out, errs strings.Builder
	if status := strands.Server([]string{"threads"}, strings.NewReader(""), &out, &errs); status != 1 || !strings.Contains(errs.String(), "threads") {
		t.Errorf("the status is %d with %q, want 1 and the name", status, errs.String())
	}
}
