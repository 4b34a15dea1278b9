package top

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/troupe-go/troupe/inspect"
)

// WriteFindings writes what is wrong, a line each.
func WriteFindings(w io.Writer, findings []inspect.Finding) error {
	if len(findings) == 0 {
		_, err := fmt.Fprintln(w, "nothing is wrong")
		return err
	}
	for _, f := range findings {
		if _, err := fmt.Fprintf(w, "%s: %s\n", strings.ToLower(f.Level.String()), clean(f.Text)); err != nil {
			return err
		}
	}
	return nil
}

// Write writes a look: what is wrong, and a table of actors.
func Write(w io.Writer, l Look) error {
	if err := WriteFindings(w, l.Findings); err != nil {
		return err
	}
	fmt.Fprintln(w)                                                                                                                                                              //nolint:errcheck // The flush tells.
	fmt.Fprintf(w, "%s: %d actors, %.0f messages/s, %d in mailboxes, %d waits\n\n", clean(l.Name), l.Sample.Actors, l.Sample.HandledPerSecond, l.Sample.Mailbox, l.Sample.Waits) //nolint:errcheck // The flush tells.
	t := newTable(w)
	for _, a := range l.Actors {
		row(t, "", a)
	}
	return t.Flush()
}

// WriteTree writes the actors below those that they belong to.
func WriteTree(w io.Writer, nodes []inspect.Node) error {
	t := newTable(w)
	var below func([]inspect.Node, string)
	below = func(nodes []inspect.Node, indent string) {
		for _, n := range nodes {
			row(t, indent, n.Actor)
			below(n.Below, indent+"  ")
		}
	}
	below(nodes, "")
	return t.Flush()
}

// WriteWorkers writes the workers, and what holds them.
func WriteWorkers(w io.Writer, workers inspect.Workers) error {
	m := Model{screen: workersScreen, workers: workers}
	return writeRows(w, append([]string{m.titles()}, m.rows()...))
}

// WriteWaits writes who waits for whom, those in a ring first.
func WriteWaits(w io.Writer, waits WaitsLook) error {
	m := Model{screen: waitsScreen, waits: waits}
	return writeRows(w, append([]string{fmt.Sprintf("%d waits, %d of them in a ring\n", waits.Total, waits.InCycle), m.titles()}, m.rows()...))
}

// WriteEvents writes events, the oldest first.
func WriteEvents(w io.Writer, events []inspect.Event) error {
	m := Model{screen: eventsScreen, events: events}
	return writeRows(w, append([]string{m.titles()}, m.rows()...))
}

func newTable(w io.Writer) *tabwriter.Writer {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "ACTOR\tPID\tSTATE\tMAILBOX\tHANDLED\tSLOW\tRESTARTS\tUP\tKIND") //nolint:errcheck // The flush tells.
	return t
}

func row(w io.Writer, indent string, a inspect.Actor) {
	slow := ""
	if a.Handler != nil {
		slow = seconds(a.Handler.Seconds)
	}
	name := a.Name
	if name == "" && len(a.Names) > 0 {
		name = a.Names[0]
	}
	fmt.Fprintf(w, "%s%s\t%s\t%s\t%d\t%d\t%s\t%d\t%s\t%s\n", indent, clean(name), a.PID, a.State, a.Mailbox, a.Handled, slow, a.Restarts, seconds(a.UptimeSeconds), clean(a.Kind)) //nolint:errcheck // The flush tells.
}

func seconds(s float64) string {
	d := time.Duration(s * float64(time.Second))
	switch {
	case d > time.Minute:
		return d.Round(time.Second).String()
	case d > time.Second:
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(10 * time.Microsecond).String()
}

// clean keeps a name from being taken for a command by the terminal.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '�'
		}
		return r
	}, text)
}
