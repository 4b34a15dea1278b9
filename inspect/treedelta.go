package inspect

import (
	"bytes"
	"encoding/json"
)

// treeDelta is what has changed in the rows of a tree since the message before. The new rows are: the first Head of the old
// ones, Rows, and the last Tail of the old ones. After that, each row of Changed replaces the one with its PID.
//
// A tree of 1,000 rows is 400 KB of JSON. Most of its actors do nothing between two messages.
type treeDelta struct {
	// Whole says that Rows are all there are. It is true in the first message, as the page may have rows of another stream.
	Whole   bool              `json:"whole,omitempty"`
	Head    int               `json:"head"`
	Tail    int               `json:"tail"`
	Rows    []json.RawMessage `json:"rows,omitempty"`
	Changed []json.RawMessage `json:"changed,omitempty"`
}

// treeDeltas makes the messages of one stream.
type treeDeltas struct {
	last []writtenRow // As the page has them.
}

// writtenRow is a row, and its JSON.
type writtenRow struct {
	row  treeRow
	text json.RawMessage
}

func (w writtenRow) of(other writtenRow) bool { return w.row.PID == other.row.PID }

// next returns what has to be told for the page to have these rows.
func (d *treeDeltas) next(rows []treeRow) (treeDelta, error) {
	now := make([]writtenRow, 0, len(rows))
	for _, r := range rows {
		text, err := json.Marshal(r)
		if err != nil {
			return treeDelta{}, err
		}
		now = append(now, writtenRow{r, text})
	}
	old := d.last
	d.last = now
	if old == nil {
		return treeDelta{Whole: true, Rows: texts(now)}, nil
	}
	t := treeDelta{}
	common := min(len(old), len(now))
	for t.Head < common && old[t.Head].of(now[t.Head]) {
		t.Head++
	}
	for t.Tail < common-t.Head && old[len(old)-1-t.Tail].of(now[len(now)-1-t.Tail]) {
		t.Tail++
	}
	t.Rows = texts(now[t.Head : len(now)-t.Tail])
	for n := range t.Head {
		t.compare(old[n], now[n])
	}
	for n := t.Tail; n > 0; n-- {
		t.compare(old[len(old)-n], now[len(now)-n])
	}
	return t, nil
}

// compare adds a row that was there before, if it has changed.
func (t *treeDelta) compare(old, now writtenRow) {
	if !bytes.Equal(old.text, now.text) {
		t.Changed = append(t.Changed, now.text)
	}
}

func texts(rows []writtenRow) []json.RawMessage {
	all := make([]json.RawMessage, 0, len(rows))
	for _, r := range rows {
		all = append(all, r.text)
	}
	return all
}
