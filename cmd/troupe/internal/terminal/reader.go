package terminal

import (
	"bytes"
	"context"
	"fmt"
	"time"
)

// Reader is no emulator: what is read is thrown away, and only the program's
// answers to keys are looked for. Its figures are what the kernel, cat and the
// answering program leave to emulators, which can at best come near them.
const Reader = "reader"

// answer is what comes before and after the key in the program's answer to it.
var (
	answer    = fmt.Appendf(nil, "\x1b[%d;1H", Rows)
	answerEnd = []byte("\x1b8")
)

// plain is the Reader.
type plain struct {
	session *session
	seam    []byte // The end of the last chunk, if an answer may begin there.
}

func newPlain(s *session) (emulator, error) {
	s.screen = nil
	return &plain{session: s}, nil
}

func (p *plain) key(_ context.Context, key byte) error { return p.session.press(key) }

// output is called by the goroutine that reads.
func (p *plain) output(_ context.Context, c *chunk) error {
	longest := len(answer) + 1 + len(answerEnd)
	text := append(p.seam, c.data[:min(c.n, longest-1)]...)
	if c.n >= longest {
		p.look(text)
		text = c.data[:c.n]
	}
	p.look(text)
	p.seam = append([]byte(nil), text[max(0, len(text)-longest+1):]...)
	p.session.parsed.Add(int64(c.n))
	p.session.free <- c
	return nil
}

// look tells of a key whose answer is in the text, the last one if there are more.
func (p *plain) look(text []byte) {
	for at := bytes.LastIndex(text, answer); at >= 0; at = bytes.LastIndex(text[:at], answer) {
		after := text[at+len(answer):]
		if len(after) < 1+len(answerEnd) || !bytes.HasPrefix(after[1:], answerEnd) {
			continue
		}
		key := rune(after[0])
		if key == p.session.last {
			return
		}
		p.session.last = key
		select {
		case p.session.shown <- sighting{key, time.Now()}:
		default: // As in feed.
		}
		return
	}
}
