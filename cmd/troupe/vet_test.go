package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	main "github.com/troupe-go/troupe/cmd/troupe"
	"github.com/troupe-go/troupe/internal/lane"
)

func TestVetIsToldWhatToLookAt(t *testing.T) {
	for _, tc := range []struct {
		only, packages []string
		want, err      string
	}{
		{nil, nil, "./...", ""},
		{nil, []string{"./a", "./b"}, "./a ./b", ""},
		{[]string{"reply", "nearhook"}, nil, "-reply -nearhook ./...", ""},
		{[]string{"replies"}, nil, "", `there is no analyzer "replies"; use reply, keptcontext,`},
		{nil, []string{"-race"}, "", `"-race" is no package`},
		{nil, []string{""}, "", `"" is no package`},
	} {
		args, err := main.VetArgs(tc.only, tc.packages)
		if got := strings.Join(args, " "); got != tc.want || tc.err == "" && err != nil || tc.err != "" && (err == nil || !strings.Contains(err.Error(), tc.err)) {
			t.Errorf("%q %q is %q, %v, want %q, %q", tc.only, tc.packages, got, err, tc.want, tc.err)
		}
	}
}

func TestVetRefusesAWrongCommandLine(t *testing.T) {
	status, out, errs := run(t, "vet", "--only", "nothing")
	if status != 2 || out != "" || !strings.Contains(errs, `there is no analyzer "nothing"`) {
		t.Errorf("status %d, %q, %q", status, out, errs)
	}
}

// The command finds a mistake in a program, and says nothing of one without.
func TestVetFindsAMistake(t *testing.T) {
	lane.Check(t)
	// A file below the module, as only there the package actor is found without a release.
	folder, err := os.MkdirTemp(".", "vettest") //nolint:usetesting // See above.
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	const program = `package p

import "github.com/troupe-go/troupe/actor"

type ask struct{ done actor.Reply[int] }

func handle(ctx *actor.Context[ask], m ask) error {
	ANSWER
	return nil
}
`
	for answer, want := range map[string]string{
		"": "ask is not answered on a path to this return",
		"if err := m.done.Send(ctx, 1); err != nil {\n\t\treturn err\n\t}": "",
	} {
		if err := os.WriteFile(filepath.Join(folder, "p.go"), []byte(strings.Replace(program, "ANSWER", answer, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		status, _, errs := run(t, "vet", "./"+filepath.Base(folder))
		if (status == 0) != (want == "") || !strings.Contains(errs, want) {
			t.Errorf("status %d, it printed %q, want %q", status, errs, want)
		}
	}
}
