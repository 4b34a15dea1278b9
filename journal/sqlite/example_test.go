package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/troupe-go/troupe/journal"
	"github.com/troupe-go/troupe/journal/sqlite"
)

func ExampleStore_Backup() {
	dir, err := os.MkdirTemp("", "journal")
	if err != nil {
		log.Fatal(err)
	}
	store, err := sqlite.Open(filepath.Join(dir, "bank.db"))
	if err != nil {
		log.Fatal(err)
	}
	w := &journal.Write{Stream: "account/1001", Events: []journal.Encoded{{Type: "opened", Schema: 1, Codec: "json", Data: []byte("{}")}}}
	if err := journal.New(store).Append(context.Background(), w); err != nil {
		log.Fatal(err)
	}
	if err := store.Backup(context.Background(), filepath.Join(dir, "backup.db")); err != nil {
		log.Fatal(err)
	}
	backup, err := sqlite.Open(filepath.Join(dir, "backup.db"))
	if err != nil {
		log.Fatal(err)
	}
	for r, err := range backup.Read(context.Background(), "account/1001", 0) {
		fmt.Println(r.Version, r.Type, err)
	}
	if err := errors.Join(backup.Close(), store.Close(), os.RemoveAll(dir)); err != nil {
		log.Fatal(err)
	}
	// Output: 1 opened <nil>
}
