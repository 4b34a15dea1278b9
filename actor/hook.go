package actor

// hook is a method that the user's value may have besides Receive.
type hook uint8

const (
	onStarted hook = iota // See Starter.
	onStopped             // See Stopper.
	onLeave               // See GracefulStopper.
	onChildExited
	onChildStarted
	onDown
	onExit
	onCheckup // See HealthChecker.
	onAlarm   // See Wakeful, and signal.
)

// occasion is the call of a hook, with what that is told.
type occasion struct {
	hook    hook
	exit    Exit // onStopped gets its reason.
	child   PID
	monitor Monitor
	health  Health // The result of onCheckup.
}

// callHook calls the hook of the user's value, if it has it. Nothing of the
// actor's life depends on the type of its messages but this, and the handling
// of the messages themselves: all else is compiled once, and not for each type.
func (a *activation) callHook(x *scope, o occasion) (has bool, err error) {
	if !x.has(o.hook) {
		return false, nil
	}
	told := a.occasion()
	*told = o
	defer func() { *told = occasion{} }()
	return true, a.call(x.kindOfHook(o.hook), func() error { return x.tell(told) })
}

// occasion returns a place for the arguments of a hook. It uses the desk's, since hooks
// on it are called one after the other. Otherwise each call would allocate one, since the
// code is found at run time.
func (a *activation) occasion() *occasion {
	if d, ok := a.f.Note().(*desk); ok && &d.activation == a {
		return &d.told
	}
	return &occasion{} // Another activation on the fiber has let this one go first.
}

// hooks is a set of hooks.
type hooks uint16

const (
	numHooks       = onAlarm + 1
	hooksKnown     = hooks(1) << numHooks // Else the set says nothing.
	noHooks        = hooksKnown
	_          int = 15 - int(numHooks) // A set has room for all of them.
)

// has reports whether the user's value has the hook. It is a look at the set if
// that is known, and 10 ns else.
func (c *scope) has(h hook) bool {
	if c.hooks&hooksKnown != 0 {
		return c.hooks>>h&1 != 0
	}
	has, _ := c.typed.hook(h, nil)
	return has
}

// learn finds out which hooks the user's value has. If its kind tells, they are
// known from the first one of it.
func (c *scope) learn(k *kind, telling bool) {
	if known := hooks(k.hooks.Load()); telling && known != 0 {
		c.hooks = known
		return
	}
	all := hooksKnown
	for h := range numHooks {
		if has, _ := c.typed.hook(h, nil); has {
			all |= 1 << h
		}
	}
	c.hooks = all
	if telling {
		k.hooks.Store(uint32(all))
	}
}

// tell calls the hook of the user's value.
func (c *scope) tell(o *occasion) error {
	_, err := c.typed.hook(o.hook, o)
	return err
}

func (c *Context[M]) hook(h hook, o *occasion) (has bool, err error) {
	own := valueOf(c.own(), h)
	switch h { // With one return below, which is code for each type of messages.
	case onStarted:
		var v Starter[M]
		if v, has = own.(Starter[M]); has && o != nil {
			err = v.Started(c)
		}
	case onStopped:
		var v Stopper[M]
		if v, has = own.(Stopper[M]); has && o != nil {
			v.Stopped(c, o.exit.Reason)
		}
	case onLeave:
		var v GracefulStopper[M]
		if v, has = own.(GracefulStopper[M]); has && o != nil {
			err = v.Leave(c)
		}
	case onChildExited:
		var v Parent[M]
		if v, has = own.(Parent[M]); has && o != nil {
			err = v.ChildExited(c, o.exit)
		}
	case onChildStarted:
		var v ChildStartedHandler[M]
		if v, has = own.(ChildStartedHandler[M]); has && o != nil {
			err = v.ChildStarted(c, o.child)
		}
	case onDown:
		var v Watcher[M]
		if v, has = own.(Watcher[M]); has && o != nil {
			err = v.Down(c, o.monitor, o.exit)
		}
	case onExit:
		var v Trapper[M]
		if v, has = own.(Trapper[M]); has && o != nil {
			err = v.Exited(c, o.exit)
		}
	case onAlarm:
		switch v := own.(type) {
		case sequel:
			if has = true; o != nil {
				err = v.alarmed()
			}
		case Wakeful[M]:
			if has = true; o != nil {
				err = v.Woken(c)
			}
		}
	default: // onCheckup
		var v HealthChecker[M]
		if v, has = own.(HealthChecker[M]); has && o != nil {
			o.health = v.Health(c)
		}
	}
	return has, err
}

// traits returns which hooks of the user's value others must know of.
func (c *scope) traits() (t traits) {
	if c.has(onChildExited) {
		t |= isParent
		if c.has(onChildStarted) {
			t |= hearsOfStarts
		}
	}
	if c.has(onExit) {
		t |= isTrapper
	}
	if c.has(onDown) {
		t |= isWatcher
	}
	if c.has(onCheckup) {
		t |= isHealthChecker
	}
	if c.has(onLeave) {
		t |= stopsGracefully
	}
	return t
}
