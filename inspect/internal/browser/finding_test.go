package browser_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/troupe-go/troupe/inspect"
	"github.com/troupe-go/troupe/internal/lane"
)

// trouble runs examples/trouble until the end of the test, and returns the address of its page, and the actors that are the
// cause.
func trouble(t *testing.T, program, name string) (url, cause string) {
	t.Helper()
	cmd := exec.Command(program, "-tell", "-addr", "127.0.0.1:0", name)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	})
	out := bufio.NewReader(stdout)
	line := func(begin string) string {
		text, err := out.ReadString('\n')
		if err != nil || !strings.HasPrefix(text, begin) {
			t.Fatalf("%s says %q, and then %v", name, text, err)
		}
		return strings.TrimSpace(text[len(begin):])
	}
	return line("live page at "), line("the cause:")
}

// The first line of the Overview names the culprit of each trouble, and one click leads to where the cause is seen.
func TestFindings(t *testing.T) {
	lane.Check(t)
	chromium(t)
	program := filepath.Join(t.TempDir(), "trouble")
	if out, err := exec.Command("go", "build", "-o", program, "github.com/troupe-go/troupe/examples/trouble").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	cases := map[string]string{
		"stuck": "charge(", "panics": "parse(", "suspended": "suspended", "unhandled": "main.alert", "ring": "main.prices",
		"orphan": "print(",
	}
	urls, causes := map[string]string{}, map[string]string{}
	for name := range cases {
		urls[name], causes[name] = trouble(t, program, name)
	}
	for name, shown := range cases {
		t.Run(name, func(t *testing.T) {
			cause := causes[name]
			p := open(t, urls[name])
			first := `document.querySelector('#findings li a')`
			p.until(first + `?.innerText.includes('` + cause + `')`)
			p.keep("finding-" + name)
			p.do(chromedp.Evaluate[chromedp.Void](first + `.click()`))
			p.until(text + `.includes('` + cause + `') && ` + text + `.includes('` + shown + `') && location.hash.length > 1`)
			if name != "stuck" {
				return
			}
			p.show("tree")
			p.until(text + `.includes('1 finding')`)
			p.do(chromedp.Evaluate[chromedp.Void](`[...document.querySelectorAll('button')].find((b) => b.innerText === 'Open the worst').click()`))
			p.until(`location.hash.includes('worst=1') && ` + text + `.includes('1 finding')`)
			p.show("workers") // The holder of one is a link to the actor.
			p.until(`[...document.querySelectorAll('td a')].some((a) => a.innerText.includes('` + cause + `')) && ` + text + `.includes('held for')`)
		})
	}
}

func TestNothingIsWrong(t *testing.T) {
	_, url := newSystem(t, inspect.WebConfig{})
	p := open(t, url)
	p.until(`document.getElementById('findings')?.innerText === 'Nothing is wrong.'`)
}
