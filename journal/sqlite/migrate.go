package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
)

//go:embed migrations/*.sql
var files embed.FS

// migrate brings the tables to the present version, in one transaction. The version
// is the journal's own, so that the database may have another one.
func migrate(ctx context.Context, conn *sql.Conn) (err error) {
	steps, err := fs.Glob(files, "migrations/*.sql") // Sorted.
	if err != nil {
		return err
	}
	if err := begin(ctx, conn); err != nil {
		return fmt.Errorf("write to it: %w", err)
	}
	defer func() {
		if err != nil {
			_, _ = conn.ExecContext(ctx, "ROLLBACK") // The first error counts.
		}
	}()
	if _, err := conn.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS journal_schema (version INTEGER NOT NULL)"); err != nil {
		return fmt.Errorf("write to it: %w", err)
	}
	version := 0
	if err := conn.QueryRowContext(ctx, "SELECT coalesce(max(version), 0) FROM journal_schema").Scan(&version); err != nil {
		return err
	}
	if version > len(steps) {
		return tooOld(version, len(steps))
	}
	for i, step := range steps[version:] {
		text, err := files.ReadFile(step)
		if err != nil {
			return err
		}
		if _, err := conn.ExecContext(ctx, string(text)); err != nil {
			return fmt.Errorf("bring its tables to version %d: %w", version+i+1, err)
		}
	}
	// Written each time: this is how a file shows that it is read-only.
	if _, err := conn.ExecContext(ctx, "DELETE FROM journal_schema; INSERT INTO journal_schema VALUES (?)", len(steps)); err != nil {
		return fmt.Errorf("write to it: %w", err)
	}
	_, err = conn.ExecContext(ctx, "COMMIT")
	return err
}

func tooOld(version, known int) error {
	return fmt.Errorf("its tables have version %d, and this program knows versions up to %d: it is too old; use the version of journal/sqlite that wrote the file, or a later one",
		version, known)
}
