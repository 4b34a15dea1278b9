package actor

import "fmt"

// handlerKind says what code of the user runs: a handler of messages, by how its message came, or a
// hook.
type handlerKind uint8

const (
	sent      handlerKind = iota // A message that belongs to no ask.
	asked                        // A message that belongs to an ask.
	ticked                       // A message from a timer that belongs to no ask.
	signalled                    // A process goes on by a signal.
	hooked                       // A hook runs: hooked plus its number.

	made = hooked + handlerKind(numHooks) // The function that makes the actor runs.
)

// hookNames are the methods that are hooks.
var hookNames = [numHooks]string{
	onStarted: "Started", onStopped: "Stopped", onLeave: "Leave", onChildExited: "ChildExited", onChildStarted: "ChildStarted",
	onDown: "Down", onExit: "Exited", onCheckup: "Health", onAlarm: "Woken",
}

// String returns what HandlerReport.Handler says.
func (k handlerKind) String() string {
	switch {
	case k < hooked:
		return [hooked]string{"send", "ask", "timer", "signal"}[k]
	case k < made:
		return hookNames[k-hooked]
	}
	return "New"
}

// isMessage reports whether a message is handled.
func (k handlerKind) isMessage() bool { return k < signalled }

// row returns which of the limits of a timing hold.
func (k handlerKind) row() int {
	switch k {
	case sent, ticked:
		return sendLimits
	case asked:
		return askLimits
	}
	return hookLimits
}

// kindOfHook returns what runs when the hook of the actor's value is called. The signals of a process are no
// hooks of the user.
func (x *scope) kindOfHook(h hook) handlerKind {
	if x.process && (h == onDown || h == onExit || h == onAlarm) {
		return signalled
	}
	return hooked + handlerKind(h)
}

// kindOfMessage returns by what the message of the lane came that is being handled, with x as its
// Context. Of an ask that only x shows; a timer's message is known if it is handled by the activation that
// has taken it out of the lane's marks.
//
//go:noinline
func (a *activation) kindOfMessage(x *scope, l *lane) handlerKind {
	switch {
	case x.asked.slot != nil:
		return asked
	case a.ticked == l && l != nil && l.handled()-1 == a.tickedAt:
		return ticked
	}
	return sent
}

// describeHandler says what runs, in words: "with main.order (ask)", or "in Started".
func describeHandler(message, handler string) string {
	switch {
	case message == "" && handler == "":
		return "in a hook"
	case message == "":
		return "in " + handler
	case handler == "":
		return "with " + message
	}
	return fmt.Sprintf("with %s (%s)", message, handler)
}
