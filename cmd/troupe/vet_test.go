package main_test

import (
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

// The command finds a mistake in a program, and says nothing of one without. The programs are in testdata: a folder that comes
// and goes would disturb the tests that walk the tree meanwhile.
func TestVetFindsAMistake(t *testing.T) {
	lane.Check(t)
	for program, want := range map[string]string{
		"forgets": "ask is not answered on a path to this return",
		"answers": "",
	} {
		status, _, errs := run(t, "vet", "./testdata/vet/"+program)
		if (status == 0) != (want == "") || !strings.Contains(errs, want) {
			t.Errorf("%s: status %d, it printed %q, want %q", program, status, errs, want)
		}
	}
}
