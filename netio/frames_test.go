package netio_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/troupe-go/troupe/netio"
)

var prefixes = []netio.Prefix{netio.Uint32, netio.Uint16, netio.Uint8, netio.Uvarint}

func FuzzFrames(f *testing.F) {
	for p := range prefixes {
		f.Add([]byte{1, 'a', 0, 2, 'b', 'c'}, []byte{0}, uint8(p), false)
		f.Add([]byte{0, 0, 0, 1, 'a', 0, 0, 0, 0}, []byte{3, 0}, uint8(p), false)
		f.Add([]byte{1, 0, 0, 0, 'a', 0, 0, 0, 0}, []byte{1}, uint8(p), true)
		f.Add([]byte{0x80, 0, 0, 0, 'a'}, []byte{0}, uint8(p), false)
		f.Add(bytes.Repeat([]byte{0xff}, 12), []byte{0}, uint8(p), false)
	}
	f.Fuzz(func(t *testing.T, data, pieces []byte, prefix uint8, little bool) {
		skipLarge(t, data)
		c := netio.Frames{Prefix: prefixes[int(prefix)%len(prefixes)], LittleEndian: little, MaxSize: 40}
		all, _ := checkPieces(t, c, data, pieces)
		for _, frame := range all {
			if len(frame) > 40 || !bytes.Contains(data, frame) {
				t.Fatalf("%q has no frame %q", data, frame)
			}
		}
	})
}

func TestLengthsOfFrames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		frames netio.Frames
		want   string
	}{
		{netio.Frames{}, "\x00\x00\x00\x03abc"},
		{netio.Frames{LittleEndian: true}, "\x03\x00\x00\x00abc"},
		{netio.Frames{Prefix: netio.Uint16}, "\x00\x03abc"},
		{netio.Frames{Prefix: netio.Uint16, LittleEndian: true}, "\x03\x00abc"},
		{netio.Frames{Prefix: netio.Uint8}, "\x03abc"},
		{netio.Frames{Prefix: netio.Uvarint}, "\x03abc"},
	} {
		out, err := c.frames.Append(nil, []byte("abc"))
		if string(out) != c.want || err != nil {
			t.Errorf("%v: %q, %v", c.frames, out, err)
		}
		all, err := decodeAll(t, c.frames, out, 0)
		if len(all) != 1 || string(all[0]) != "abc" || err != nil {
			t.Errorf("%v: %q, %v", c.frames, all, err)
		}
	}
}

func TestFramesAreRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, data string
		frames     netio.Frames
		err        error
	}{
		{"2 GB", "\x80\x00\x00\x00", netio.Frames{}, netio.ErrTooLong},
		{"4 GB", "\xff\xff\xff\xff", netio.Frames{}, netio.ErrTooLong},
		{"over the limit", "\x05", netio.Frames{Prefix: netio.Uint8, MaxSize: 4}, netio.ErrTooLong},
		{"2^63", "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", netio.Frames{Prefix: netio.Uvarint}, netio.ErrTooLong},
		{"more than 64 bits", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", netio.Frames{Prefix: netio.Uvarint}, netio.ErrFrame},
	} {
		d, err := c.frames.NewDecoder()
		if err != nil {
			t.Fatal(err)
		}
		_, _, _, err = d.Decode([]byte(c.data), false)
		if !errors.Is(class(err), c.err) {
			t.Errorf("%s: %v, want %v", c.name, err, c.err)
		}
	}
	_, err := netio.Frames{Prefix: netio.Uint8}.Append(nil, make([]byte, 256))
	wrong(t, err, netio.ErrTooLong)
	_, err = netio.Frames{Prefix: netio.Uint16}.Append(nil, make([]byte, 1<<16))
	wrong(t, err, netio.ErrTooLong)
	_, err = netio.Frames{Prefix: 9}.NewDecoder()
	wrong(t, err, netio.ErrConfig)
	_, err = netio.Frames{MaxSize: -1}.Append(nil, nil)
	wrong(t, err, netio.ErrConfig)
}

// TestFrameIsACopy checks that a frame does not change with the buffer it came in.
func TestFrameIsACopy(t *testing.T) {
	t.Parallel()
	d, err := netio.Frames{Prefix: netio.Uint8}.NewDecoder()
	if err != nil {
		t.Fatal(err)
	}
	data := []byte("\x01a")
	_, frame, ok, err := d.Decode(data, false)
	data[1] = 'b'
	if string(frame) != "a" || !ok || err != nil {
		t.Errorf("%q, %v, %v", frame, ok, err)
	}
}
