package power_test

import (
	"context"
	"fmt"
	"os"
	"syscall"
	"testing"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

// mount shows the disk to other processes in a folder until the returned function is
// called. This process must not use the folder: one that maps a file of its own file system
// can hang. It skips the test where there is no FUSE.
func mount(t *testing.T, d *disk, dir string) (unmount func()) {
	t.Helper()
	fd, err := syscall.Open("/dev/fuse", os.O_RDWR|syscall.O_CLOEXEC, 0)
	if err != nil {
		t.Skipf("no FUSE for a disk that loses power: /dev/fuse: %v", err)
	}
	options := fmt.Sprintf("fd=%d,rootmode=40000,user_id=%d,group_id=%d", fd, os.Getuid(), os.Getgid())
	if err := syscall.Mount("disk", dir, "fuse.disk", syscall.MS_NOSUID|syscall.MS_NODEV, options); err != nil {
		_ = syscall.Close(fd) // Nobody has used it.
		t.Skipf("no FUSE for a disk that loses power: mount needs root: %v", err)
	}
	root := &folder{disk: d}
	server, err := fs.Mount(fmt.Sprintf("/dev/fd/%d", fd), root, &fs.Options{OnAdd: root.fill})
	if err != nil {
		_ = syscall.Unmount(dir, syscall.MNT_DETACH) // The error is another one.
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Errorf("unmount the disk: %v", err)
		}
		server.Wait()
	}
}

// folder is the root of the file system.
type folder struct {
	fs.Inode
	disk *disk
}

var (
	_ fs.NodeCreater  = (*folder)(nil)
	_ fs.NodeUnlinker = (*folder)(nil)
	_ fs.NodeFsyncer  = (*folder)(nil)
)

// fill shows the files that the disk has already.
func (n *folder) fill(ctx context.Context) {
	for name, f := range n.disk.files {
		child := n.NewPersistentInode(ctx, &node{disk: n.disk, file: f}, fs.StableAttr{Mode: syscall.S_IFREG})
		n.AddChild(name, child, false)
	}
}

func (n *folder) Create(ctx context.Context, name string, _, _ uint32, out *fuse.EntryOut) (*fs.Inode, fs.FileHandle, uint32, syscall.Errno) {
	f, errno := n.disk.create(name)
	if errno != 0 {
		return nil, nil, 0, errno
	}
	child := &node{disk: n.disk, file: f}
	inode := n.NewPersistentInode(ctx, child, fs.StableAttr{Mode: syscall.S_IFREG})
	child.attributes(&out.Attr)
	return inode, nil, fuse.FOPEN_KEEP_CACHE, 0
}

func (n *folder) Unlink(_ context.Context, name string) syscall.Errno { return n.disk.remove(name) }

func (n *folder) Fsync(context.Context, fs.FileHandle, uint32) syscall.Errno {
	return n.disk.syncFolder()
}

// node is a file.
type node struct {
	fs.Inode
	disk *disk
	file *file
}

var (
	_ fs.NodeOpener    = (*node)(nil)
	_ fs.NodeReader    = (*node)(nil)
	_ fs.NodeWriter    = (*node)(nil)
	_ fs.NodeGetattrer = (*node)(nil)
	_ fs.NodeSetattrer = (*node)(nil)
	_ fs.NodeFsyncer   = (*node)(nil)
)

func (n *node) attributes(out *fuse.Attr) {
	n.disk.look(func() { out.Size = uint64(len(n.file.data)) })
	out.Mode, out.Nlink = syscall.S_IFREG|0o600, 1
	out.Uid, out.Gid = uint32(os.Getuid()), uint32(os.Getgid())
}

func (n *node) Open(context.Context, uint32) (fs.FileHandle, uint32, syscall.Errno) {
	return nil, fuse.FOPEN_KEEP_CACHE, 0
}

func (n *node) Read(_ context.Context, _ fs.FileHandle, dest []byte, off int64) (fuse.ReadResult, syscall.Errno) {
	k := 0
	n.disk.look(func() {
		if off < int64(len(n.file.data)) {
			k = copy(dest, n.file.data[off:])
		}
	})
	return fuse.ReadResultData(dest[:k]), 0
}

func (n *node) Write(_ context.Context, _ fs.FileHandle, data []byte, off int64) (uint32, syscall.Errno) {
	return uint32(len(data)), n.disk.change(n.file, change{int(off), append([]byte{}, data...)})
}

func (n *node) Getattr(_ context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	n.attributes(&out.Attr)
	return 0
}

func (n *node) Setattr(_ context.Context, _ fs.FileHandle, in *fuse.SetAttrIn, out *fuse.AttrOut) syscall.Errno {
	if size, ok := in.GetSize(); ok {
		if errno := n.disk.change(n.file, change{at: int(size)}); errno != 0 {
			return errno
		}
	}
	n.attributes(&out.Attr)
	return 0
}

func (n *node) Fsync(context.Context, fs.FileHandle, uint32) syscall.Errno {
	return n.disk.sync(n.file)
}
