package postgres

import (
	"context"
	"embed"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5"
)

//go:embed migrations/*.sql
var files embed.FS

// migrationLock keeps processes that start at the same time from making the tables
// twice. The number is picked out of thin air.
const migrationLock = 0x74726f757065

// migrate brings the tables to the present version, in one transaction.
func (s *Store) migrate(ctx context.Context) error {
	steps, err := fs.Glob(files, "migrations/*.sql") // Sorted.
	if err != nil {
		return err
	}
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", int64(migrationLock)); err != nil {
			return fmt.Errorf("lock it: %w", err)
		}
		if _, err := tx.Exec(ctx, "CREATE TABLE IF NOT EXISTS journal_schema (version integer NOT NULL)"); err != nil {
			return fmt.Errorf("write to it: %w", err)
		}
		version := 0
		if err := tx.QueryRow(ctx, "SELECT coalesce(max(version), 0) FROM journal_schema").Scan(&version); err != nil {
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
			if _, err := tx.Exec(ctx, string(text)); err != nil {
				return fmt.Errorf("bring its tables to version %d: %w", version+i+1, err)
			}
		}
		// Written each time: this is how a database shows that it is read-only.
		if _, err := tx.Exec(ctx, "DELETE FROM journal_schema"); err != nil {
			return fmt.Errorf("write to it: %w", err)
		}
		_, err := tx.Exec(ctx, "INSERT INTO journal_schema VALUES ($1)", len(steps))
		return err
	})
}

func tooOld(version, known int) error {
	return fmt.Errorf("its tables have version %d, and this program knows versions up to %d: it is too old; use the version of journal/postgres that wrote them, or a later one",
		version, known)
}
