package demo

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"slices"
)

const (
	// A zero byte in this many bytes at the start makes a file binary, as git has it.
	sniffed = 8 << 10
	// Copying this much takes some 50 µs, and the reader can pause in between.
	readStep = 128 << 10
)

// tree is the directory tree to index.
type tree struct {
	fsys    fs.FS
	maxSize int64
}

// walk calls file with the path of each regular file in lexical order, and skip for all else that is not a directory.
// It ends with the first error of either.
func (t tree) walk(file func(path string) error, skip func(Reason) error) error {
	return fs.WalkDir(t.fsys, ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return skip(reasonFor(err))
		case d.IsDir():
			return nil
		case !d.Type().IsRegular():
			return skip(Irregular)
		}
		return file(path)
	})
}

// read reads the text of a file into buf, which grows as needed, and returns it, or why it is not to be indexed. It
// calls pause between steps and ends with pause's error, the only one there is.
func (t tree) read(path string, buf []byte, pause func() error) (text []byte, why Reason, err error) {
	f, err := t.fsys.Open(path)
	if err != nil {
		return buf, reasonFor(err), nil
	}
	defer f.Close() //nolint:errcheck // The file was only read.
	info, err := f.Stat()
	switch {
	case err != nil:
		return buf, reasonFor(err), nil
	case !info.Mode().IsRegular():
		return buf, Irregular, nil
	case info.Size() > t.maxSize:
		return buf, TooLarge, nil
	}
	want := info.Size()
	if want == 0 { // Some files say so and have content, for example in /proc.
		want = t.maxSize + 1
	}
	if cap(buf) < int(info.Size()) {
		buf = make([]byte, 0, info.Size())
	}
	return t.fill(f, int(want), buf[:0], pause)
}

// fill reads up to the length that is wanted or the end of the file.
func (t tree) fill(f fs.File, want int, buf []byte, pause func() error) (text []byte, why Reason, err error) {
	for {
		seen := len(buf)
		if seen == cap(buf) {
			buf = slices.Grow(buf, sniffed)
		}
		n, err := f.Read(buf[seen:min(seen+readStep, want, cap(buf))])
		buf = buf[:seen+n]
		switch {
		case seen < sniffed && bytes.IndexByte(buf[seen:min(len(buf), sniffed)], 0) >= 0:
			return buf, Binary, nil
		case int64(len(buf)) > t.maxSize:
			return buf, TooLarge, nil
		case errors.Is(err, io.EOF) || err == nil && len(buf) == want:
			return buf, Counted, nil
		case err != nil:
			return buf, reasonFor(err), nil
		}
		if err := pause(); err != nil {
			return buf, Counted, err
		}
	}
}
