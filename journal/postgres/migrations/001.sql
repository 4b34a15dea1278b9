-- The one row is locked by each commit, so that positions become visible in their order.
CREATE TABLE journal_head (
	position bigint NOT NULL
);

INSERT INTO journal_head VALUES (0);

CREATE TABLE journal_streams (
	id      bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
	name    bytea NOT NULL UNIQUE,
	version bigint NOT NULL,
	fence   bigint NOT NULL
);

CREATE TABLE journal_events (
	position bigint PRIMARY KEY,
	stream   bigint NOT NULL REFERENCES journal_streams,
	version  bigint NOT NULL,
	type     bytea NOT NULL,
	schema   bigint NOT NULL,
	codec    bytea NOT NULL,
	seconds  bigint NOT NULL,
	nanos    integer NOT NULL,
	command  bytea,
	data     bytea NOT NULL,
	UNIQUE (stream, version)
);

CREATE UNIQUE INDEX journal_commands ON journal_events (stream, command) WHERE command IS NOT NULL;

CREATE TABLE journal_snapshots (
	stream  bigint PRIMARY KEY REFERENCES journal_streams,
	version bigint NOT NULL,
	type    bytea NOT NULL,
	schema  bigint NOT NULL,
	codec   bytea NOT NULL,
	data    bytea NOT NULL
);

CREATE TABLE journal_projections (
	name     text PRIMARY KEY,
	position bigint NOT NULL
);
