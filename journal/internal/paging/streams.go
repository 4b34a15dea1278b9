package paging

import (
	"fmt"
	"strings"
)

// Streams returns the query for one page of the streams of a journal, for the tables that
// the SQL stores have in common. Its parameters are the name after which the page begins,
// the prefix, and the prefix once more. Parameter i of the database is written as
// parameter(i) says.
//
// An index of the events has stream, version and position, so that they are counted
// without their data.
func Streams(parameter func(i int) string) string {
	const of = "FROM journal_events e WHERE e.stream = s.id"
	columns := []string{
		"s.name", "s.version", "s.fence", "s.trimmed",
		"(SELECT count(*) " + of + ")",
		"coalesce((SELECT min(e.position) " + of + "), 0)",
		"coalesce((SELECT max(e.position) " + of + "), 0)",
		"(SELECT e.seconds " + of + " ORDER BY e.version DESC LIMIT 1)",
		"(SELECT e.nanos " + of + " ORDER BY e.version DESC LIMIT 1)",
		"coalesce((SELECT n.version FROM journal_snapshots n WHERE n.stream = s.id), 0)",
	}
	return fmt.Sprintf("SELECT %s FROM journal_streams s WHERE s.name > %s AND substr(s.name, 1, length(%s)) = %s ORDER BY s.name LIMIT %d",
		strings.Join(columns, ", "), parameter(1), parameter(2), parameter(3), Rows)
}
