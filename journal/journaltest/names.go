package journaltest

import (
	"strings"

	"github.com/troupe-go/troupe/journal"
)

var nameTests = []test{
	{"the empty name is refused", func(k *kit) {
		k.refused(write("", 0, "a"))
	}},
	{"a name that is too long is refused", func(k *kit) {
		k.refused(write(strings.Repeat("n", journal.MaxStream+1), 0, "a"))
	}},
	{"a batch with a refused name stores nothing", func(k *kit) {
		k.refused(write("s", 0, "a"), write("", 0, "b"))
		k.has("s")
	}},
	{"the longest name", func(k *kit) {
		name := strings.Repeat("n", journal.MaxStream)
		k.append(write(name, 0, "a"))
		k.has(name, "a")
	}},
	{"names of every byte", func(k *kit) {
		var batch []*journal.Write
		for _, b := range everyByte() {
			batch = append(batch, write(string([]byte{b}), 0, string([]byte{'v', b})))
		}
		k.append(append(batch, write(string(everyByte()), 0, "all"))...)
		for _, b := range everyByte() {
			k.has(string([]byte{b}), string([]byte{'v', b}))
		}
		k.has(string(everyByte()), "all")
	}},
	{"names that are nearly the same", func(k *kit) {
		names := []string{"s", "S", " s", "s ", "s\x00", "s\x00x", "s\n", "ſ", "é", "e\u0301", "%", "_", "s%", "0", "00", "0.0", "null", "'; drop table"}
		for _, name := range names {
			k.version(k.try(write(name, 0, name)), 1)
		}
		for _, name := range names {
			k.has(name, name)
		}
	}},
}
