package demo_test

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing/fstest"
)

// manyFiles returns a tree of files that share many words, some of them long enough for several batches.
func manyFiles(n int) fstest.MapFS {
	dice := rand.New(rand.NewPCG(1, 2))
	tree := fstest.MapFS{}
	for i := range n {
		var text strings.Builder
		words := dice.IntN(400)
		if i%50 == 7 {
			words = 30_000
		}
		for range words {
			fmt.Fprintf(&text, "word%d", dice.IntN(1+dice.IntN(20_000)))
			text.WriteString([]string{" ", "\n", "(世界)", " 0x1F+"}[dice.IntN(4)])
		}
		tree[fmt.Sprintf("dir%d/sub%d/file%d.txt", i%7, i%3, i)] = &fstest.MapFile{Data: []byte(text.String())}
	}
	return tree
}

// odd is a tree in which opening some files has an effect.
type odd struct {
	fs.FS
	open func(name string) error
}

func (o odd) Open(name string) (fs.File, error) {
	if err := o.open(name); err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return o.FS.Open(name)
}

// failing fails to open the files in the map.
func failing(tree fs.FS, errs map[string]error) fs.FS {
	return odd{tree, func(name string) error { return errs[name] }}
}

// onOpen calls do when the nth file is opened.
func onOpen(tree fs.FS, nth int64, do func()) fs.FS {
	var opened atomic.Int64
	return odd{tree, func(name string) error {
		if strings.Contains(name, "file") && opened.Add(1) == nth {
			do()
		}
		return nil
	}}
}

// unsized is a tree whose files report a size of 0, as files of /proc do.
type unsized struct{ fs.FS }

func (u unsized) Open(name string) (fs.File, error) {
	f, err := u.FS.Open(name)
	if err != nil {
		return nil, err
	}
	if dir, ok := f.(fs.ReadDirFile); ok {
		return dir, nil
	}
	return unsizedFile{f}, nil
}

type unsizedFile struct{ fs.File }

func (f unsizedFile) Stat() (fs.FileInfo, error) {
	info, err := f.File.Stat()
	return unsizedInfo{info}, err
}

type unsizedInfo struct{ fs.FileInfo }

func (unsizedInfo) Size() int64 { return 0 }
