package actor

import "time"

// KeyedTimers are timers of an actor by which it sends to itself, each with a key. To start
// one replaces the timer that has the same key: that one sends nothing any more, and what it
// has sent and still lies in the mailbox is taken back, see [Timer.Stop]. So the actor need not
// recognise messages that are out of date. Akka's TimerScheduler does the same.
//
// It is a field of the actor's own value, which its handlers and hooks use one at a time; the
// zero value is ready for use:
//
//	type session struct{ timers actor.KeyedTimers[string, message] }
//
//	func (s *session) Receive(ctx *actor.Context[message], m message) error {
//		return s.timers.Start(ctx, "idle", time.Minute, message{kind: timeout}) // Again and again.
//	}
//
// Like all timers they end with their incarnation: after a restart none is running, and what
// they have sent before and was not handled is taken back. Start takes about 0.4 us.
type KeyedTimers[K comparable, M any] struct {
	timers  map[K]Timer
	sweepAt int // How many there are when those that are over are let go of.
}

// Start sends m to the actor itself when d has passed, on the Data lane, in place of the
// timer that has the key. It returns the errors of [SendAfter]; then the former timer is
// stopped all the same.
func (t *KeyedTimers[K, M]) Start(ctx *Context[M], key K, d time.Duration, m M) error {
	return t.replace(key, func() (Timer, error) { return SendAfter(ctx, d, ctx.Self(), m) })
}

// StartEvery sends m to the actor itself again and again, as [Every] does, in place of the
// timer that has the key.
func (t *KeyedTimers[K, M]) StartEvery(ctx *Context[M], key K, interval time.Duration, m M) error {
	return t.replace(key, func() (Timer, error) { return Every(ctx, interval, ctx.Self(), m) })
}

func (t *KeyedTimers[K, M]) replace(key K, set func() (Timer, error)) error {
	t.Stop(key)
	timer, err := set()
	if err != nil {
		return err
	}
	if t.timers == nil {
		t.timers = map[K]Timer{}
	}
	if len(t.timers) >= t.sweepAt {
		t.sweep()
	}
	t.timers[key] = timer
	return nil
}

// sweep lets go of the timers that are over, when they may be half of all.
func (t *KeyedTimers[K, M]) sweep() {
	for key, timer := range t.timers {
		if !timer.isUnderWay() {
			delete(t.timers, key)
		}
	}
	t.sweepAt = max(keptKeys, 2*len(t.timers))
}

// keptKeys is how many timers there are before the first sweep. Picked out of thin air.
const keptKeys = 16

// Stop stops the timer that has the key, as [Timer.Stop] does, and reports the same. It
// reports false if there is none.
func (t *KeyedTimers[K, M]) Stop(key K) bool {
	timer, ok := t.timers[key]
	if !ok {
		return false
	}
	delete(t.timers, key)
	return timer.Stop()
}

// StopAll stops all timers.
func (t *KeyedTimers[K, M]) StopAll() {
	for key := range t.timers {
		t.Stop(key)
	}
}

// Running reports whether the key has a timer that is not over. A timer that sends once is
// over when its message is handled.
func (t *KeyedTimers[K, M]) Running(key K) bool {
	return t.timers[key].isUnderWay()
}

// isUnderWay reports whether the timer may still lead to a message.
func (t Timer) isUnderWay() bool {
	if t.t == nil {
		return false
	}
	_, live := t.t.info()
	return live
}
