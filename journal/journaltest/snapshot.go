package journaltest

import (
	"errors"

	"github.com/troupe-go/troupe/journal"
)

func state(text string) journal.Encoded {
	return journal.Encoded{Type: "state", Schema: 3, Codec: "text", Data: []byte(text)}
}

// save saves a snapshot of the stream s.
func (k *kit) save(version uint64, text string) journal.Snapshot {
	k.Helper()
	s := journal.Snapshot{Stream: "s", Version: version, Encoded: state(text)}
	if err := k.s.SaveSnapshot(k.ctx, s); err != nil {
		k.Fatalf("SaveSnapshot of version %d: %v", version, err)
	}
	return s
}

// ahead fails unless a snapshot of the stream s is refused.
func (k *kit) ahead(version uint64) {
	k.Helper()
	err := k.s.SaveSnapshot(k.ctx, journal.Snapshot{Stream: "s", Version: version, Encoded: state("x")})
	if !errors.Is(err, journal.ErrSnapshotAhead) {
		k.Errorf("SaveSnapshot of version %d returns %v, want ErrSnapshotAhead", version, err)
	}
}

// snapshot fails unless the stream s has the snapshot.
func (k *kit) snapshot(want journal.Snapshot) {
	k.Helper()
	got, err := k.s.LoadSnapshot(k.ctx, "s")
	if err != nil {
		k.Fatalf("LoadSnapshot: %v", err)
	}
	if got.Stream != want.Stream || got.Version != want.Version || !sameEncoded(got.Encoded, want.Encoded) {
		k.Errorf("the snapshot is %+v, want %+v", got, want)
	}
}
