package diagnosis

import (
	"cmp"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/troupe-go/troupe/actor"
)

// The kinds of findings.
const (
	Stuck     = "stuck_handler"   // A handler has been under way for long, and waits for no other actor.
	Waiting   = "waiting_handler" // A handler has waited for long for an actor that could act, and does not.
	Forgotten = "forgotten_reply" // A handler has returned without a reply, and its asker waits.
	Suspended = "suspended"       // An actor is suspended, and others wait for it.
	Backlog   = "backlog"         // Messages wait for long.
	Failing   = "failing"         // An actor, or the actors of a kind, fail again and again.
	Ring      = "ring"            // Actors would wait for each other.
	Lost      = "dead_letters"    // Messages are lost, again and again.
	Starving  = "starvation"      // Work waits long for a worker.
	Orphaned  = "orphans"         // Killed handlers have not returned.
)

// Kinds are all of them.
var Kinds = [...]string{Stuck, Waiting, Forgotten, Suspended, Backlog, Failing, Ring, Lost, Starving, Orphaned}

// Finding is one thing that is wrong at present.
type Finding struct {
	ID        string // The same as long as it is the same finding.
	Kind      string
	Level     slog.Level // Error if others suffer, else Warn.
	Text      string     // Names the culprit and the cause, in one line.
	PID       actor.PID  // The culprit, if it is an actor.
	Name      string
	ActorKind string
	Where     string // The function, file and line of the program's own code, if that is known.
	Since     time.Time
	Seconds   float64 // Since then.
	Count     int     // How many messages, senders, failures or actors it is about.
	View      string  // The view of the live page that shows more.
}

// worse orders findings: errors first, and then what has lasted longest.
func worse(a, b Finding) int {
	return cmp.Or(cmp.Compare(b.Level, a.Level), cmp.Compare(b.Seconds, a.Seconds), strings.Compare(a.ID, b.ID))
}

// subject names an actor as people do: by its name, else by its kind and PID.
func subject(name, kind string, id actor.PID) string {
	if name != "" {
		return name
	}
	return fmt.Sprintf("%s%s", shortKind(kind), id)
}

// shortKind is a kind without the path of its package.
func shortKind(kind string) string { return kind[strings.LastIndexByte(kind, '/')+1:] }

// span says a time as people do: "4.4s", "21m", "3h12m".
func span(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	}
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}

// number writes thousands apart, so that 131000 is "131,000".
func number(n int) string {
	text := fmt.Sprint(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// some says how many there are of something: "1 sender", "21 senders".
func some(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return number(n) + " " + what + "s"
}

// list joins parts that are not empty.
func list(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), ", ")
}
