package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// SQLite has no queue for the write lock of a file. Its own busy handler looks ever more
// seldom, every 100 ms in the end. Beside a process that commits all the time, which
// leaves the lock alone for some 50 us between two commits, it finds it free after
// seconds: 200 commits took 30 s. So the store looks itself, about every millisecond.
const (
	busyLimit = 10 * time.Second
	busyPause = time.Millisecond
)

// codeBusy is the result code of SQLite for a lock that another connection has.
const codeBusy = 5

// begin begins a transaction that has the write lock. It waits for other processes. The
// connection's own busy handler must be off.
func begin(ctx context.Context, conn *sql.Conn) error {
	whole := context.WithoutCancel(ctx)
	for since := time.Now(); ; {
		_, err := conn.ExecContext(whole, "BEGIN IMMEDIATE") // The lock is had from the start.
		var c interface{ Code() int }
		if err == nil || !errors.As(err, &c) || c.Code()&0xff != codeBusy {
			return err
		}
		if time.Since(since) > busyLimit {
			return fmt.Errorf("other processes have kept the file locked for %v: %w", busyLimit, err)
		}
		select {
		case <-time.After(busyPause/2 + rand.N(busyPause)):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
