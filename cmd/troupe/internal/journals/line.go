package journals

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/troupe-go/troupe/journal"
)

// Format is the version of exports.
const Format = 1

// An export has a line of JSON for each of these, in this order: one head, the events in
// the order of their positions, fences, snapshots, and one end. A trimmed line comes before
// the first event of a stream whose events before it were removed on purpose. A file without its end is
// not whole.
type line struct {
	Head     *head     `json:"journal,omitempty"`
	Trimmed  *trimmed  `json:"trimmed,omitempty"`
	Event    *event    `json:"event,omitempty"`
	Fence    *fence    `json:"fence,omitempty"`
	Snapshot *snapshot `json:"snapshot,omitempty"`
	End      *Totals   `json:"end,omitempty"`
}

type head struct {
	Format int `json:"format"`
}

// Totals are how much an export has.
type Totals struct {
	Events    uint64 `json:"events"`
	Fences    uint64 `json:"fences"`
	Snapshots uint64 `json:"snapshots"`
}

type fence struct {
	Stream text   `json:"stream"`
	Fence  uint64 `json:"fence"`
}

type trimmed struct {
	Stream text   `json:"stream"`
	Events uint64 `json:"events"`
}

type event struct {
	Stream   text      `json:"stream"`
	Version  uint64    `json:"version"`
	Position uint64    `json:"position"`
	Time     time.Time `json:"time"`
	Once     text      `json:"once,omitempty"`
	encoded
}

type snapshot struct {
	Stream  text   `json:"stream"`
	Version uint64 `json:"version"`
	encoded
}

type encoded struct {
	Type   text `json:"type"`
	Schema int  `json:"schema"`
	Codec  text `json:"codec"`
	Data   text `json:"data"`
}

func encodedOf(e journal.Encoded) encoded {
	return encoded{text(e.Type), e.Schema, text(e.Codec), text(e.Data)}
}

func (e encoded) stored() journal.Encoded {
	return journal.Encoded{Type: string(e.Type), Schema: e.Schema, Codec: string(e.Codec), Data: []byte(e.Data)}
}

func eventOf(r journal.Record) *event {
	return &event{text(r.Stream), r.Version, uint64(r.Position), r.Time, text(r.Once), encodedOf(r.Encoded)}
}

// text is a string of any bytes. In JSON it is a string if it is UTF-8, and else an object
// with the member base64. So each byte is kept, also of an event that is JSON itself.
type text string

type binary struct {
	Base64 []byte `json:"base64"`
}

// MarshalJSON implements [json.Marshaler].
func (t text) MarshalJSON() ([]byte, error) {
	if !utf8.ValidString(string(t)) {
		return json.Marshal(binary{[]byte(t)})
	}
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false) // An export is for no page, and shall be read by people.
	err := out.Encode(string(t))
	return b.Bytes(), err
}

// UnmarshalJSON implements [json.Unmarshaler].
func (t *text) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		return json.Unmarshal(data, (*string)(t))
	}
	var b *binary
	if err := json.Unmarshal(data, &b); err != nil {
		return err
	}
	if b == nil || b.Base64 == nil {
		return errors.New(`a text is a string, or an object with the member "base64"`)
	}
	*t = text(b.Base64)
	return nil
}

// checkEncoding returns what is wrong with stored data, and whether its codec is known.
func checkEncoding(e journal.Encoded) (known bool, err error) {
	switch {
	case e.Type == "":
		err = errors.New("it has no type")
	case e.Schema < 1:
		err = fmt.Errorf("its schema is %d; they begin with 1", e.Schema)
	case e.Codec == "":
		err = errors.New("it has no codec")
	case len(e.Data) > journal.MaxEvent:
		err = fmt.Errorf("it has %d bytes; the limit is %d", len(e.Data), journal.MaxEvent)
	}
	if err != nil {
		return true, err
	}
	check, known := encodings[e.Codec]
	if known {
		err = check(e.Data)
	}
	return known, err
}

// EventLine returns an event as JSON of an export has it.
func EventLine(r journal.Record) any { return eventOf(r) }

// StreamLine returns a stream for a list as JSON.
func StreamLine(info journal.StreamInfo) any {
	l := streamLine{Stream: text(info.Name), Version: info.Version, Events: info.Events, Trimmed: info.Trimmed, Snapshot: info.Snapshot, Fence: info.Fence,
		First: uint64(info.First), Last: uint64(info.Last)}
	if info.Events > 0 {
		l.Changed = &info.Changed
	}
	return l
}

type streamLine struct {
	Stream   text       `json:"stream"`
	Version  uint64     `json:"version"`
	Events   uint64     `json:"events"`
	Trimmed  uint64     `json:"trimmed,omitempty"`
	Snapshot uint64     `json:"snapshot,omitempty"`
	Fence    uint64     `json:"fence,omitempty"`
	First    uint64     `json:"first,omitempty"`
	Last     uint64     `json:"last,omitempty"`
	Changed  *time.Time `json:"changed,omitempty"`
}
