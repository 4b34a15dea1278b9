package journaltest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/internal/leak"
	"github.com/troupe-go/troupe/journal"
	"github.com/troupe-go/troupe/journal/journaltest"
)

func TestMain(m *testing.M) { leak.Main(m) }

type paid struct{ Cents int }

// paidInText is an event without a sample.
type paidInText struct {
	Cents string `json:"cents"`
}

var good = journal.Events[any](
	journal.Event[paid]("paid").Version(2),
	journal.Upcast("paid", 1, func(old struct{ Euros int }) (paid, error) { return paid{100 * old.Euros}, nil }),
)

func TestGolden(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "paid.v2.json", `{"Cents":150}`)
	write(t, dir, "paid.v1.json", `{"Euros":1}`)
	journaltest.Golden(t, dir, good, any(paid{150}))
}

func TestGoldenWritesMissingFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	t.Setenv(journaltest.GoldenVariable, "write")
	journaltest.Golden(t, dir, good, any(paid{150}))
	if data, err := os.ReadFile(filepath.Join(dir, "paid.v2.json")); err != nil || string(data) != `{"Cents":150}` {
		t.Errorf("the file has %q (%v)", data, err)
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// badCase is the environment variable by which the test below runs itself.
const badCase = "TROUPE_GOLDEN_CASE"

var badCases = map[string]struct {
	files map[string]string
	set   *journal.Set[any]
	want  string
}{
	"missing": {nil, good, "is missing; write it with TROUPE_GOLDEN=write"},
	"changed": {map[string]string{"paid.v2.json": `{"Cents":1}`}, good, "the encoding has changed"},
	"old layout": {
		map[string]string{"paid.v1.json": `{"Cents":150}`, "paid.v0.json": `{}`},
		journal.Events[any](journal.Event[paid]("paid")), "paid.v0.json can't be read any more",
	},
	"name":   {map[string]string{"paid": `{}`}, good, "is not named as in"},
	"sample": {nil, journal.Events[any](journal.Event[paid]("paid"), journal.Event[paidInText]("text")), `no samples of ["text"]`},
}

// Golden makes a test fail, in another process, for each kind of mistake.
func TestGoldenFails(t *testing.T) {
	if name := os.Getenv(badCase); name != "" {
		c, dir := badCases[name], t.TempDir()
		for file, text := range c.files {
			write(t, dir, file, text)
		}
		journaltest.Golden(t, dir, c.set, any(paid{150}))
		return
	}
	for name, c := range badCases {
		cmd := exec.Command(os.Args[0], "-test.run", "^TestGoldenFails$")
		cmd.Env = append(os.Environ(), badCase+"="+name)
		if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), c.want) {
			t.Errorf("%s: want a failure with %q, got %v:\n%s", name, c.want, err, out)
		}
	}
}
