package browser_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/troupe-go/troupe/inspect"
)

const tracks = `document.querySelectorAll('canvas.track').length`

// A program's recording is shown, zoomed by keys, and told of under the pointer;
// so is one from a file; and what is none is refused with the reason.
func TestRecording(t *testing.T) {
	s, url := newSystem(t, inspect.WebConfig{})
	r, err := s.inspector.Record(inspect.RecordConfig{})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 1000 {
		if err := s.busy.Send(t.Context(), n); err != nil {
			t.Fatal(err)
		}
	}
	p := open(t, url+"#recording")
	p.until(tracks + ` > 0 && ` + text + `.includes('Where the time went') && ` + text + `.includes('busy')`)
	p.do(chromedp.Focus(".workers"), chromedp.KeyEvent("+"), chromedp.KeyEvent("+"))
	p.keep("recording")
	dir := t.TempDir()
	good, bad, other := filepath.Join(dir, "good.json"), filepath.Join(dir, "bad.json"), filepath.Join(dir, "other.json")
	f, err := os.Create(good)
	if err != nil {
		t.Fatal(err)
	}
	rec := r.Snapshot()
	rec.Reason = "a test with " + hostile
	if err := rec.Write(f); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		bad: `{"troupe":{"version":1,"kinds":["run"],"labels":[],"events":[[1,0,0,7,0]]}}`, other: `{"traceEvents":[]}`,
	} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ file, want string }{{other, "other.json: this is no recording"}, {bad, "bad.json: this recording is damaged: event 0"}, {good, "Written because of a test with <img"}} {
		p.do(chromedp.SetUploadFiles("#open-recording", []string{c.file}))
		p.until(text + `.includes('` + c.want + `')`)
	}
	p.until(tracks + ` > 0 && !document.querySelector('[role=alert]') && document.title !== 'harmed' && document.querySelectorAll('main img').length === 0`)
}

func TestNoRecording(t *testing.T) {
	_, url := newSystem(t, inspect.WebConfig{})
	p := open(t, url+"#recording")
	p.until(text + `.includes('not recorded')`)
}
