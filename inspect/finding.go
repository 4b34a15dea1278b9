package inspect

import (
	"log/slog"
	"time"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect/internal/diagnosis"
)

// FindingKind says what is wrong.
type FindingKind string

// The kinds of findings.
const (
	StuckHandler   FindingKind = diagnosis.Stuck     // A handler has been under way since Config.StuckAfter, and waits for no other actor.
	WaitingHandler FindingKind = diagnosis.Waiting   // A handler has waited so long for an actor about which nothing is known.
	ForgottenReply FindingKind = diagnosis.Forgotten // A handler has returned without a reply, and its asker waits.
	Suspended      FindingKind = diagnosis.Suspended // An actor is suspended, and others wait for it.
	Backlog        FindingKind = diagnosis.Backlog   // Messages of an actor have waited for 1 s at least, and it is not about to catch up.
	Failing        FindingKind = diagnosis.Failing   // An actor has failed 3 times in a minute, or 20 of a kind have that are not restarted.
	AskRing        FindingKind = diagnosis.Ring      // Actors would have waited for each other.
	Losing         FindingKind = diagnosis.Lost      // 10 messages for one actor were lost in a minute, without counting lanes that may drop some.
	Starving       FindingKind = diagnosis.Starving  // Work has waited for a worker since Config.CriticalAfter.
	Orphaned       FindingKind = diagnosis.Orphaned  // Killed handlers have not returned.
)

// Finding is one thing that is wrong at present: the cause, not what suffers from it.
type Finding struct {
	// ID is the same as long as it is the same finding.
	ID   string      `json:"id"`
	Kind FindingKind `json:"kind"`
	// Level is Error if others suffer, else Warn.
	Level slog.Level `json:"level"`
	// Text names the culprit and the cause, in one line. It has no contents of messages. It may have the first 200 bytes
	// of an error or a panic, which say what the program has put into them.
	Text string `json:"text"`
	// PID, Name and ActorKind describe the culprit, if it is an actor.
	PID       actor.PID `json:"pid,omitzero"`
	Name      string    `json:"name,omitempty"`
	ActorKind string    `json:"actor_kind,omitempty"`
	// Where is the innermost function of the program's own code, with its file and line, if that is known.
	Where string `json:"where,omitempty"`
	// Since is when it began, as far as that was seen, and Seconds is for how long it has lasted.
	Since   time.Time `json:"since"`
	Seconds float64   `json:"seconds"`
	// Count is how many messages, senders, actors or failures it is about.
	Count int `json:"count,omitempty"`
	// View is the view of the live page that shows more, such as "actor/12.1".
	View string `json:"view"`
}

// String returns the level and the text.
func (f Finding) String() string { return f.Level.String() + " " + f.Text }

// Findings returns what is wrong in the system, the worst first, as of the last look: every Config.ScanEvery the
// inspector goes through the handlers that are under way, what waits for what, mailboxes, failures and lost
// messages. It is empty if nothing is wrong, and never if Config.ScanEvery is -1. There are 100 at most.
//
// A look costs about 100 ns for each handler that is under way and each actor that waits, besides the scan of
// mailboxes. To say where new stuck handlers are it stops the program as [Inspector.HeldStacks] does, for
// 1 % of the time at most.
func (i *Inspector) Findings() []Finding {
	found := i.diagnose.Findings()
	all := make([]Finding, 0, len(found))
	for _, f := range found {
		all = append(all, Finding{
			ID: f.ID, Kind: FindingKind(f.Kind), Level: f.Level, Text: f.Text, PID: f.PID, Name: f.Name, ActorKind: f.ActorKind,
			Where: f.Where, Since: f.Since, Seconds: f.Seconds, Count: f.Count, View: f.View,
		})
	}
	return all
}
