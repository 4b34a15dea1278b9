//go:build !modelcheck && !race && !invariants

package inspect_test

import (
	"testing"

	"github.com/troupe-go/troupe/internal/planted"
)

// TestTestsFindPlantedFaults shows that the tests of what others can see, and do,
// find what they are there to find.
func TestTestsFindPlantedFaults(t *testing.T) {
	planted.Expect(t, "", pageFaults)
}

var pageFaults = planted.Group{
	Run: "^(TestPageRefusesForeignHosts|TestPageIsLocalWithoutToken|TestPageWantsToken|TestPageActs|TestPageAnswers|TestPageTellsMethods|TestPageSuspends|TestStreamOfGoneActor|TestSlowSubscriber|TestDeadLetters|TestPages|TestWaitGraphFindsRings|TestWaits|TestMetrics|TestFailuresOfAnActor|TestMalformedRecordings|TestFindingsOnThePage)$",
	Faults: []planted.Fault{
		{
			Name: "any host is ours",
			In:   "guard.hostIsOurs",
			Old:  `host == "localhost" || strings.HasSuffix(host, ".localhost") || slices.Contains(g.cfg.Hosts, host)`,
			New:  "true",
			Want: "FAIL: TestPageRefusesForeignHosts",
			Run:  "^TestPageRefusesForeignHosts$",
		},
		{
			Name: "a wrong method finds nothing",
			In:   "web.nothing",
			Old:  `c.method+" "`,
			New:  `" "`,
			Want: "FAIL: TestPageTellsMethods",
			Run:  "^TestPageTellsMethods$",
		},
		{
			Name: "whoever comes is local",
			In:   "isLocal",
			Old:  "isLoopback(at.String()) && isLoopback(r.RemoteAddr)",
			New:  "isLoopback(at.String())",
			Want: "FAIL: TestPageIsLocalWithoutToken",
			Run:  "^TestPageIsLocalWithoutToken$",
		},
		{
			Name: "a server of another kind is local",
			In:   "isLocal",
			Old: `if at == nil {
	return false // A server of another kind, of which we know nothing.
}`,
			New: `if at == nil {
	return true
}`,
			Want: "FAIL: TestPageIsLocalWithoutToken",
			Run:  "^TestPageIsLocalWithoutToken$",
		},
		{
			Name: "any token is right",
			In:   "guard.isToken",
			Old:  "subtle.ConstantTimeCompare(sum[:], g.token[:]) == 1",
			New:  "len(sum) > 0",
			Want: "FAIL: TestPageWantsToken",
			Run:  "^TestPageWantsToken$",
		},
		{
			Name: "the cookie is the token",
			In:   "newGuard",
			Old:  `derive("session")`,
			New:  "cfg.Token",
			Want: "FAIL: TestPageWantsToken",
			Run:  "^TestPageWantsToken$",
		},
		{
			Name: "actions are always enabled",
			In:   "guard.checkAction",
			Old:  "!g.cfg.Actions",
			New:  "g.cross == nil",
			Want: "FAIL: TestPageActs",
			Run:  "^TestPageActs$",
		},
		{
			Name: "other sites act",
			In:   "guard.checkAction",
			Old: `case g.cross.Check(r) != nil:
	return http.StatusForbidden, errCross`,
			New:  "",
			Want: "FAIL: TestPageActs",
			Run:  "^TestPageActs$",
		},
		{
			Name: "actions need no key",
			In:   "guard.checkAction",
			Old:  `!equal(r.Header.Get("Troupe-Action"), g.key)`,
			New:  `r.Header.Get("Troupe-Action") == "none"`,
			Want: "FAIL: TestPageActs",
			Run:  "^TestPageActs$",
		},
		{
			Name: "scripts from elsewhere run",
			In:   "secureHeaders",
			Old:  `h.Set("Content-Security-Policy", policy)`,
			New:  "",
			Want: "FAIL: TestPageAnswers",
			Run:  "^TestPageAnswers$",
		},
		{
			Name: "nobody knows who acts",
			In:   "Inspector.acted",
			Old: `Event{
	Kind: Acted, Level: slog.LevelWarn, Text: fmt.Sprintf("%s%s: %s, by %s", info.Name, id, what, who),
	PID: id, Name: info.Name, ActorKind: info.Kind, By: who,
}`,
			New: `Event{
	Kind: Acted, Level: slog.LevelWarn, Text: fmt.Sprintf("%s%s: %s, by %s", info.Name, id, what, who),
	PID: id, Name: info.Name, ActorKind: info.Kind,
}`,
			Want: "FAIL: TestPageSuspends",
			Run:  "^TestPageSuspends$",
		},
		{
			Name: "a name that panics ends the request",
			In:   "web.who",
			Old:  "name = r.RemoteAddr",
			New:  "panic(v)",
			Want: "FAIL: TestPageSuspends",
			Run:  "^TestPageSuspends$",
		},
		{
			Name: "a gone actor is a bad request",
			In:   "statusOf",
			Old: `if errors.Is(err, actor.ErrStalePID) || errors.Is(err, ErrNoJob) {
	return http.StatusGone
}`,
			New: `if errors.Is(err, actor.ErrStalePID) || errors.Is(err, ErrNoJob) {
	return http.StatusBadRequest
}`,
			Want: "FAIL: TestPageAnswers",
			Run:  "^TestPageAnswers$",
		},
		{
			Name: "a gone actor has no failures",
			In:   "web.look",
			Old:  "len(p.Failures) > 0 || p.Handler != nil",
			New:  "len(p.Failures) > 1000",
			Want: "FAIL: TestStreamOfGoneActor",
			Run:  "^TestStreamOfGoneActor$",
		},
		{
			Name: "the newest event is dropped",
			In:   "backlog.put",
			Old:  "b.take()",
			New:  "return",
			Want: "FAIL: TestSlowSubscriber",
			Run:  "^TestSlowSubscriber$",
		},
		{
			Name: "dropped events are not counted",
			In:   "backlog.put",
			Old: `b.take()
b.dropped++`,
			New:  "b.take()",
			Want: "FAIL: TestSlowSubscriber",
			Run:  "^TestSlowSubscriber$",
		},
		{
			Name: "the oldest letter stays",
			In:   "letters.add",
			Old:  "l.next = (l.next + 1) % l.limit",
			New:  "",
			Want: "FAIL: TestDeadLetters",
			Run:  "^TestDeadLetters$",
		},
		{
			Name: "all messages are shown",
			In:   "content",
			Old:  `return ""`,
			New:  "return fmt.Sprint(m)",
			Want: "FAIL: TestDeadLetters",
			Run:  "^TestDeadLetters$",
		},
		{
			Name: "a page has the smallest",
			In:   "Inspector.largest",
			Old:  "r.compare(&best[0]) < 0",
			New:  "r.compare(&best[0]) > 0",
			Want: "FAIL: TestPages",
			Run:  "^TestPages$",
		},
		{
			Name: "pages overlap",
			In:   "Inspector.largest",
			Old:  "r.compare(after) <= 0",
			New:  "r.compare(after) < 0",
			Want: "FAIL: TestPages",
			Run:  "^TestPages$",
		},
		{
			Name: "any name begins so",
			In:   "Query.matches",
			Old:  "strings.HasPrefix(i.Name, q.Name)",
			New:  `i.Name != ""`,
			Want: "FAIL: TestPages",
			Run:  "^TestPages$",
		},
		{
			Name: "what leads to a ring is one",
			In:   "inRings",
			Old: `if !left[n] || out[w.To] > 0 && in[w.From] > 0 {
	continue
}`,
			New: `if !left[n] || out[w.To] > 0 {
	continue
}`,
			Want: "FAIL: TestWaitGraphFindsRings",
			Run:  "^TestWaitGraphFindsRings$",
		},
		{
			Name: "a wait is the wrong way",
			In:   "waitOf",
			Old:  "Wait{w.PID, w.Name, w.On, w.OnName, w.Kind.String(), w.Lane.String(), w.Returned}",
			New:  "Wait{w.On, w.OnName, w.PID, w.Name, w.Kind.String(), w.Lane.String(), w.Returned}",
			Want: "FAIL: TestWaits",
			Run:  "^TestWaits$",
		},
		{
			Name: "what the gone have handled is lost",
			In:   "Inspector.ended",
			Old:  "k.handledByGone.Add(e.Handled)",
			New:  "",
			Want: "FAIL: TestMetrics",
			Run:  "^TestMetrics$",
		},
		{
			Name: "a failure has no stack",
			In:   "Inspector.ended",
			Old:  "f.Stack = string(p.Stack())",
			New:  "",
			Want: "FAIL: TestFailuresOfAnActor",
			Run:  "^TestFailuresOfAnActor$",
		},
		{
			Name: "events out of order are read",
			In:   "recordingBody.recording",
			Old:  "at < before",
			New:  "at < 0 && before > at",
			Want: "FAIL: TestMalformedRecordings",
			Run:  "^TestMalformedRecordings$",
		},
		{
			Name: "what is wrong is never found out",
			In:   "Inspector.findOut",
			Old:  "i.diagnose.Look(now, load)",
			New:  "",
			Want: "FAIL: TestFindingsOnThePage",
			Run:  "^TestFindingsOnThePage$",
		},
		{
			Name: "no findings are null",
			In:   "Inspector.Findings",
			Old:  "make([]Finding, 0, len(found))",
			New:  "[]Finding(nil)",
			Want: "FAIL: TestFindingsOnThePage",
			Run:  "^TestFindingsOnThePage$",
		},
	},
}
