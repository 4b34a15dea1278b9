package power_test

import (
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
)

// disk is a folder of a machine that may lose power. Programs read the bytes that were
// written last. After the power went, the synced bytes are left, and by chance some others.
//
// Of the writes to a file since its last sync, any may have reached the disk, in any
// order. One that has not come whole has come up to the end of one of its sectors. A new
// file keeps its name if it or the folder was synced; a file that was removed may be there
// again if the folder was not synced since. A sync that fails has lost what it should have
// written, and the next one does not write it either, as on Linux.
type disk struct {
	mu      sync.Mutex
	files   map[string]*file
	removed map[string]*file // Since the folder was synced.
	off     bool

	writes, cutAfter int // The power goes with the write of this number.
	failing          string
	failAfter        int // How many syncs of the file failing succeed, before one fails.
	cut, failed      func()

	refuses syscall.Errno // Each change returns it, if it is not 0: no room, or read-only.
}

type file struct {
	name    string
	data    []byte   // As programs see it.
	synced  []byte   // As it was when it was synced.
	pending []change // Since then.
	named   bool     // The name is on the disk.
}

// change is a write, or a new size if there is no data.
type change struct {
	at   int
	data []byte
}

// sector is what a disk writes as a whole.
const sector = 512

func newDisk() *disk {
	return &disk{files: map[string]*file{}, removed: map[string]*file{}, cut: func() {}, failed: func() {}}
}

// load returns a disk with the files of a folder, all synced.
func load(dir string) (*disk, error) {
	d := newDisk()
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		d.files[e.Name()] = &file{name: e.Name(), data: data, synced: slices.Clone(data), named: true}
	}
	return d, err
}

// look calls f with the disk locked.
func (d *disk) look(f func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f()
}

// apply makes a change to the bytes of a file.
func (c change) apply(data []byte) []byte {
	end := c.at + len(c.data)
	if c.data == nil && end < len(data) {
		return data[:end]
	}
	if end > len(data) {
		data = append(data, make([]byte, end-len(data))...)
	}
	copy(data[c.at:], c.data)
	return data
}

// torn returns the part of the change that is on the disk, if the power went on its way.
func (c change) torn() change {
	if c.data == nil {
		return c
	}
	first := sector - c.at%sector
	ends := 1 + max(0, len(c.data)-first+sector-1)/sector
	n := rand.IntN(ends + 1)
	if n == ends {
		return c
	}
	return change{c.at, c.data[:max(0, min(len(c.data), first+(n-1)*sector))]}
}

// change makes a change, unless the power is gone.
func (d *disk) change(f *file, c change) syscall.Errno {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.writes++; d.writes == d.cutAfter {
		d.turnOff()
	}
	if d.off {
		return syscall.EIO
	}
	if d.refuses != 0 {
		return d.refuses
	}
	f.data = c.apply(f.data)
	f.pending = append(f.pending, c)
	return 0
}

// turnOff has the power go. The caller holds mu.
func (d *disk) turnOff() {
	if !d.off {
		d.off = true
		d.cut()
	}
}

// sync has the file on the disk, or fails on order.
func (d *disk) sync(f *file) syscall.Errno {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.off {
		return syscall.EIO
	}
	if f.name == d.failing {
		if d.failAfter--; d.failAfter < 0 {
			d.failing = ""
			f.pending = nil // It is lost, and nobody remembers.
			d.failed()
			return syscall.EIO
		}
	}
	for _, c := range f.pending {
		f.synced = c.apply(f.synced)
	}
	f.pending, f.named = nil, true
	return 0
}

// syncFolder has the names on the disk.
func (d *disk) syncFolder() syscall.Errno {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.off {
		return syscall.EIO
	}
	for _, f := range d.files {
		f.named = true
	}
	clear(d.removed)
	return 0
}

func (d *disk) create(name string) (*file, syscall.Errno) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.off {
		return nil, syscall.EIO
	}
	if d.refuses != 0 {
		return nil, d.refuses
	}
	f := d.files[name]
	if f == nil {
		f = &file{name: name}
		d.files[name] = f
	}
	return f, 0
}

func (d *disk) remove(name string) syscall.Errno {
	d.mu.Lock()
	defer d.mu.Unlock()
	f := d.files[name]
	if d.off || f == nil {
		return syscall.EIO
	}
	if f.named {
		d.removed[name] = f
	}
	delete(d.files, name)
	return 0
}

// left writes what is left after the power went into a folder.
func (d *disk) left(dir string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	there := maps.Clone(d.files)
	for name, f := range d.removed {
		if there[name] == nil && rand.IntN(2) == 0 {
			there[name] = f
		}
	}
	for name, f := range there {
		if !f.named && rand.IntN(2) == 0 {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name), f.left(), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// left returns the bytes of the file after the power went: without the changes since the
// last sync, or with the first of them and a torn one, or with any of them.
func (f *file) left() []byte {
	data := slices.Clone(f.synced)
	kept := rand.IntN(len(f.pending) + 1)
	any := rand.IntN(2) == 0
	for i, c := range f.pending {
		switch {
		case any && rand.IntN(2) == 0, !any && i == kept:
			data = c.torn().apply(data)
		case any, !any && i < kept:
			data = c.apply(data)
		}
		if !any && i == kept {
			break
		}
	}
	return data
}
