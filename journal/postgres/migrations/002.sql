-- How many of the first events were removed on purpose.
ALTER TABLE journal_streams ADD COLUMN trimmed bigint NOT NULL DEFAULT 0;
