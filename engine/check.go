package engine

import (
	"context"
	"fmt"
	"time"
)

// CheckName returns an error that is [ErrInvalid] unless a table, log or group may have the
// name: 1 to 32 of the letters a to z and A to Z, digits, '-' and '_'. The error calls it a
// name of what.
func CheckName(what, name string) error {
	if len(name) >= 1 && len(name) <= 32 && words(name, false) {
		return nil
	}
	return fmt.Errorf("engine: the name %q of a %s is %w; use 1 to 32 letters, digits, '-' and '_'", clip(name), what, ErrInvalid)
}

// CheckSubject returns an error that is [ErrInvalid] unless the text has the form of a
// subject of a [Bus], and at most [MaxKey] bytes. The error calls it what.
func CheckSubject(what, subject string) error {
	if len(subject) >= 1 && len(subject) <= MaxKey && words(subject, true) {
		return nil
	}
	return fmt.Errorf("engine: the %s %q is %w; use words of letters, digits, '-' and '_', joined by dots, of 1 to %d bytes", what, clip(subject), ErrInvalid, MaxKey)
}

// words tells whether the text has words of allowed characters, joined by single dots if dots is set.
func words(text string, dots bool) bool {
	inWord := false
	for _, c := range []byte(text) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_':
			inWord = true
		case c == '.' && dots && inWord:
			inWord = false
		default:
			return false
		}
	}
	return inWord
}

// clip shortens a text for an error.
func clip(text string) string {
	if len(text) > MaxKey {
		return text[:MaxKey] + "..."
	}
	return text
}

// CheckPut returns an error if the arguments of a Put are not allowed.
func CheckPut(key string, value []byte, ttl time.Duration) error {
	if err := CheckSubject("key", key); err != nil {
		return err
	}
	if len(value) > MaxValue {
		return fmt.Errorf("engine: the value of key %q has %d bytes, which is %w; use at most %d", key, len(value), ErrTooLong, MaxValue)
	}
	if ttl != 0 && (ttl < MinTTL || ttl > MaxTTL) {
		return fmt.Errorf("engine: the ttl %v of key %q is %w; use 0 for an entry that does not end, or %v to %v", ttl, key, ErrInvalid, MinTTL, MaxTTL)
	}
	return nil
}

// CheckAppend returns an error if records can't be appended.
func CheckAppend(records []Record) error {
	if len(records) == 0 {
		return fmt.Errorf("engine: an append of no records is %w; pass at least one", ErrInvalid)
	}
	if len(records) > MaxBatch {
		return fmt.Errorf("engine: the batch has %d records, which is %w; append at most %d at once", len(records), ErrTooLong, MaxBatch)
	}
	total := 0
	for i, r := range records {
		if total += len(r.Data); total > MaxBatchBytes {
			return fmt.Errorf("engine: the batch has over %d bytes, which is %w; append less at once", MaxBatchBytes, ErrTooLong)
		}
		if err := checkRecord(r, len(records)); err != nil {
			return fmt.Errorf("record %d of %d: %w", i+1, len(records), err)
		}
	}
	return nil
}

func checkRecord(r Record, of int) error {
	if len(r.Data) > MaxValue {
		return fmt.Errorf("engine: the record has %d bytes, which is %w; use at most %d", len(r.Data), ErrTooLong, MaxValue)
	}
	if r.Key != "" {
		if err := CheckSubject("key", r.Key); err != nil {
			return err
		}
	}
	if r.ID == "" {
		return nil
	}
	if of > 1 {
		return fmt.Errorf("engine: the ID %q in a batch of %d records is %w; append a record with an ID by itself", clip(r.ID), of, ErrInvalid)
	}
	if len(r.ID) > MaxKey {
		return fmt.Errorf("engine: the ID has %d bytes, which is %w; use at most %d", len(r.ID), ErrTooLong, MaxKey)
	}
	for _, c := range []byte(r.ID) {
		if c <= ' ' || c == 0x7f {
			return fmt.Errorf("engine: the ID %q is %w; use no spaces and control characters", r.ID, ErrInvalid)
		}
	}
	return nil
}

// Check returns an error if the configuration is not allowed.
func (c LogConfig) Check() error {
	switch {
	case c.MaxAge != 0 && c.MaxAge < time.Second:
		return fmt.Errorf("engine: LogConfig.MaxAge %v is %w; use 0 for no limit, or at least 1s", c.MaxAge, ErrInvalid)
	case c.MaxRecords < 0:
		return fmt.Errorf("engine: LogConfig.MaxRecords %d is %w; use 0 for no limit", c.MaxRecords, ErrInvalid)
	case c.MaxBytes < 0:
		return fmt.Errorf("engine: LogConfig.MaxBytes %d is %w; use 0 for no limit", c.MaxBytes, ErrInvalid)
	}
	return nil
}

// Checked returns the configuration with its defaults, or an error if it is not allowed.
func (c GroupConfig) Checked() (GroupConfig, error) {
	if c.InFlight == 0 {
		c.InFlight = 64
	}
	if c.Redeliver == 0 {
		c.Redeliver = 30 * time.Second
	}
	if c.Key != "" {
		if err := CheckSubject("key of a group", c.Key); err != nil {
			return c, err
		}
	}
	if c.InFlight < 1 || c.InFlight > MaxInFlight {
		return c, fmt.Errorf("engine: GroupConfig.InFlight %d is %w; use 1 to %d", c.InFlight, ErrInvalid, MaxInFlight)
	}
	if c.Redeliver < 100*time.Millisecond || c.Redeliver > 24*time.Hour {
		return c, fmt.Errorf("engine: GroupConfig.Redeliver %v is %w; use 100ms to 24h", c.Redeliver, ErrInvalid)
	}
	return c, nil
}

// CheckDelay returns an error if the delay of a Nack is not allowed.
func CheckDelay(delay time.Duration) error {
	if delay < 0 || delay > 24*time.Hour {
		return fmt.Errorf("engine: the delay %v is %w; use 0 to 24h", delay, ErrInvalid)
	}
	return nil
}

// Ended returns the cause of a context that has ended, for a call that has done nothing yet.
func Ended(ctx context.Context, what string) error {
	if cause := context.Cause(ctx); cause != nil {
		return fmt.Errorf("engine: %s: nothing was done: %w", what, cause)
	}
	return nil
}
