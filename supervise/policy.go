package supervise

import "fmt"

// Policy says when a child is restarted.
type Policy uint8

// The policies. An actor that was asked to stop, by [actor.Ref.Stop] or
// [actor.Ref.Drain], is restarted under none of them.
const (
	Permanent Policy = iota // However its incarnation ended.
	Transient               // If it failed; not if it stopped itself.
	Temporary               // Never, and not with its siblings either.

	numPolicies = 3
)

// String returns the policy's name in lower case.
func (p Policy) String() string {
	if p < numPolicies {
		return [numPolicies]string{"permanent", "transient", "temporary"}[p]
	}
	return fmt.Sprintf("Policy(%d)", uint8(p))
}

// restarts reports whether a child whose incarnation ended for reason begins
// again.
func (p Policy) restarts(reason error) bool {
	return p == Permanent || p == Transient && reason != nil
}

// Strategy says who is restarted with a child.
type Strategy uint8

// The strategies.
const (
	// OneForOne restarts the child alone.
	OneForOne Strategy = iota
	// OneForAll stops all other children, and starts all again.
	OneForAll
	// RestForOne does so with the children that were started after it.
	RestForOne
	// Dynamic is OneForOne for children that come and go, in any number: there
	// are none at the start, the end of one that is not restarted leaves nothing
	// behind, and when the supervisor stops, all are stopped at once and in no
	// order. In OTP this is simple_one_for_one.
	Dynamic

	numStrategies = 4
)

// String returns the strategy's name in OTP's words.
func (s Strategy) String() string {
	if s < numStrategies {
		return [numStrategies]string{"one for one", "one for all", "rest for one", "dynamic"}[s]
	}
	return fmt.Sprintf("Strategy(%d)", uint8(s))
}

// grouped reports whether children are restarted together.
func (s Strategy) grouped() bool { return s == OneForAll || s == RestForOne }

// AutoShutdown says when a supervisor stops because significant children have
// ended: transient ones that stopped themselves, or temporary ones for whatever
// reason. The supervisor then stops its other children and itself, without a
// reason. A child that was stopped by the supervisor does not count.
type AutoShutdown uint8

// When a supervisor stops by itself.
const (
	Never          AutoShutdown = iota // No end of a child stops it.
	AnySignificant                     // When a significant child has ended.
	AllSignificant                     // When the last active significant child has ended.

	numAutoShutdowns = 3
)

// String returns the value's name in lower case.
func (a AutoShutdown) String() string {
	if a < numAutoShutdowns {
		return [numAutoShutdowns]string{"never", "any significant", "all significant"}[a]
	}
	return fmt.Sprintf("AutoShutdown(%d)", uint8(a))
}
