package actor

import "strings"

// Path returns where the actor is in the tree of its system: the names of those
// above it and its own, each after a slash, and the PID of one that has no name.
// It need not be unique.
func (c *scope) Path() string {
	if c.p == nil {
		return "<no actor>"
	}
	return c.p.path()
}

// Path returns where the actor is in the tree of its system, also if it has
// stopped; see [Context.Path].
func (r Ref[M]) Path() string {
	if r.cell == nil {
		return "<no actor>"
	}
	return r.cell.proc.path()
}

func (p *proc) path() string {
	var b strings.Builder
	p.writePath(&b)
	return b.String()
}

func (p *proc) writePath(b *strings.Builder) {
	if p.impl == nil {
		return
	}
	if p.isStandIn() {
		b.WriteString("/" + p.String())
		return
	}
	p.parent.writePath(b)
	b.WriteByte('/')
	if p.opts.name == "" {
		b.WriteString(p.pid.String())
		return
	}
	b.WriteString(p.opts.name)
}
