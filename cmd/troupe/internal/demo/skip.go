package demo

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// A Reason says why a file or directory was not indexed.
type Reason uint8

// The reasons for which something is not indexed. Counted means that it was.
const (
	Counted    Reason = iota
	Unreadable        // Opening or reading it failed.
	Vanished          // It was there when its directory was listed, and gone when it was opened.
	Irregular         // It is a symbolic link, a named pipe, a socket or a device; links are not followed.
	Binary            // There is a zero byte near its start.
	TooLarge          // It is longer than Config.MaxFileSize.
	Failed            // Its tokenizer panicked every time it was tried.
	reasons
)

var reasonNames = [reasons]string{"counted", "unreadable", "vanished", "irregular", "binary", "too_large", "failed"}

func (r Reason) String() string {
	if r >= reasons {
		return fmt.Sprintf("Reason(%d)", uint8(r))
	}
	return reasonNames[r]
}

// describe returns the reason in words for people.
func (r Reason) describe() string {
	return strings.ReplaceAll(r.String(), "_", " ")
}

// reasonFor returns the reason that an error of opening, listing or reading stands for.
func reasonFor(err error) Reason {
	if errors.Is(err, fs.ErrNotExist) {
		return Vanished
	}
	return Unreadable
}

// Skipped counts what was not indexed by reason.
type Skipped [reasons]int

// Total returns how many files and directories were not indexed.
func (s Skipped) Total() int {
	total := 0
	for r := Counted + 1; r < reasons; r++ {
		total += s[r]
	}
	return total
}

// MarshalJSON writes an object with every reason, zeros included.
func (s Skipped) MarshalJSON() ([]byte, error) {
	object := make(map[string]int, reasons-1)
	for r := Counted + 1; r < reasons; r++ {
		object[r.String()] = s[r]
	}
	return json.Marshal(object)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Skipped) UnmarshalJSON(data []byte) error {
	var object map[string]int
	if err := json.Unmarshal(data, &object); err != nil {
		return err
	}
	*s = Skipped{}
	for r := Counted + 1; r < reasons; r++ {
		s[r] = object[r.String()]
	}
	return nil
}
