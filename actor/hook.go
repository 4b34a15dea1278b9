package actor

// hook is a method that the user's value may have besides Receive.
type hook uint8

const (
	onStarted hook = iota // See Starter.
	onStopped             // See Stopper.
	onLeave               // See Leaver.
	onChildExited
	onChildStarted
	onDown
	onExit
	onCheckup // See Patient.
	onAlarm   // See signal.
)

// occasion is the call of a hook, with what that is told.
type occasion struct {
	hook    hook
	exit    Exit // Of which onStopped is told the reason.
	child   PID
	monitor Monitor
	health  Health // What onCheckup has returned.
}

// callHook calls the hook of the user's value, if it has it. Nothing of the
// actor's life depends on the type of its messages but this, and the handling
// of the messages themselves: all else is compiled once, and not for each type.
func (a *activation) callHook(x *scope, o occasion) (has bool, err error) {
	if !x.has(o.hook) {
		return false, nil
	}
	told := o // It is on the heap, where o need not be.
	return true, a.call(func() error { return x.tell(&told) })
}

// has reports whether the user's value has the hook.
func (c *scope) has(h hook) bool {
	has, _ := c.typed.hook(h, nil)
	return has
}

// tell calls the hook of the user's value.
func (c *scope) tell(o *occasion) error {
	_, err := c.typed.hook(o.hook, o)
	return err
}

func (c *Context[M]) hook(h hook, o *occasion) (has bool, err error) {
	own := c.own()
	switch h {
	case onStarted:
		v, ok := own.(Starter[M])
		if ok && o != nil {
			err = v.Started(c)
		}
		return ok, err
	case onStopped:
		v, ok := own.(Stopper[M])
		if ok && o != nil {
			v.Stopped(c, o.exit.Reason)
		}
		return ok, nil
	case onLeave:
		v, ok := own.(Leaver[M])
		if ok && o != nil {
			err = v.Leave(c)
		}
		return ok, err
	case onChildExited:
		v, ok := own.(Parent[M])
		if ok && o != nil {
			err = v.ChildExited(c, o.exit)
		}
		return ok, err
	case onChildStarted:
		v, ok := own.(Greeter[M])
		if ok && o != nil {
			err = v.ChildStarted(c, o.child)
		}
		return ok, err
	case onDown:
		v, ok := own.(Watcher[M])
		if ok && o != nil {
			err = v.Down(c, o.monitor, o.exit)
		}
		return ok, err
	case onExit:
		v, ok := own.(Trapper[M])
		if ok && o != nil {
			err = v.Exited(c, o.exit)
		}
		return ok, err
	case onAlarm:
		v, ok := any(own).(sequel)
		if ok && o != nil {
			err = v.alarmed()
		}
		return ok, err
	default: // onCheckup
		v, ok := own.(Patient[M])
		if ok && o != nil {
			o.health = v.Health(c)
		}
		return ok, nil
	}
}

// traits returns which hooks of the user's value others must know of.
func (c *scope) traits() (t traits) {
	if c.has(onChildExited) {
		t |= isParent
		if c.has(onChildStarted) {
			t |= isGreeter
		}
	}
	if c.has(onExit) {
		t |= isTrapper
	}
	if c.has(onDown) {
		t |= isWatcher
	}
	if c.has(onCheckup) {
		t |= isPatient
	}
	return t
}
