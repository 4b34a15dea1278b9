CREATE TABLE journal_streams (
	id      INTEGER PRIMARY KEY,
	name    BLOB NOT NULL UNIQUE,
	version INTEGER NOT NULL,
	fence   INTEGER NOT NULL
);

-- A position is never used again, since events may be deleted one day.
CREATE TABLE journal_events (
	position INTEGER PRIMARY KEY AUTOINCREMENT,
	stream   INTEGER NOT NULL REFERENCES journal_streams,
	version  INTEGER NOT NULL,
	type     BLOB NOT NULL,
	schema   INTEGER NOT NULL,
	codec    BLOB NOT NULL,
	seconds  INTEGER NOT NULL,
	nanos    INTEGER NOT NULL,
	command  BLOB,
	data     BLOB NOT NULL,
	UNIQUE (stream, version)
);

CREATE UNIQUE INDEX journal_commands ON journal_events (stream, command) WHERE command IS NOT NULL;

CREATE TABLE journal_snapshots (
	stream  INTEGER PRIMARY KEY REFERENCES journal_streams,
	version INTEGER NOT NULL,
	type    BLOB NOT NULL,
	schema  INTEGER NOT NULL,
	codec   BLOB NOT NULL,
	data    BLOB NOT NULL
);

CREATE TABLE journal_projections (
	name     TEXT PRIMARY KEY,
	position INTEGER NOT NULL
) WITHOUT ROWID;
