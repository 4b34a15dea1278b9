package vet

import (
	"go/ast"
	"go/types"
)

// hooks are the methods of an actor that the system calls, and the interfaces that have them.
var hooks = map[string]string{
	"Started": "Starter", "Stopped": "Stopper", "Leave": "GracefulStopper", "ChildExited": "Parent", "ChildStarted": "ChildStartedHandler",
	"Down": "Watcher", "Exited": "Trapper", "Health": "HealthChecker", "Woken": "Wakeful",
}

// checkHooks reports methods of actors that have the name of a hook and another signature, and those with the signature
// of a hook and nearly its name that nobody calls.
func checkHooks(c *code) {
	called := map[types.Object]bool{}
	for _, used := range c.TypesInfo.Uses {
		if fn, ok := used.(*types.Func); ok {
			called[fn.Origin()] = true
		}
	}
	for _, f := range c.Files {
		for _, d := range f.Decls {
			fd, ok := d.(*ast.FuncDecl)
			if !ok || fd.Recv == nil {
				continue
			}
			fn, ok := c.TypesInfo.Defs[fd.Name].(*types.Func)
			if !ok {
				continue
			}
			m := c.messages(fn.Signature().Recv().Type())
			if m == nil {
				continue
			}
			if want := c.hookSignature(fn.Name(), m); want != nil {
				if !types.Identical(want, plain(fn.Signature())) {
					c.report(fd.Name.Pos(), "%s is no hook with this signature, and Spawn refuses it; want %s", fn.Name(), c.signature(fn.Name(), want))
				}
				continue
			}
			if called[fn] {
				continue
			}
			for hook := range hooks {
				want := c.hookSignature(hook, m)
				if want != nil && isNear(fn.Name(), hook) && types.Identical(want, plain(fn.Signature())) {
					c.report(fd.Name.Pos(), "%s is never called; the hook is %s", fn.Name(), hook)
				}
			}
		}
	}
}

// messages returns the type of messages of an actor, or nil if t is no actor.
func (c *code) messages(t types.Type) types.Type {
	obj, _, _ := types.LookupFieldOrMethod(t, true, c.Pkg, "Receive")
	fn, ok := obj.(*types.Func)
	if !ok || fn.Signature().Params().Len() != 2 {
		return nil
	}
	return messageOf(fn.Signature().Params().At(0).Type())
}

// hookSignature is the signature of a hook of actors that take messages of type m, or nil if there is no such hook.
func (c *code) hookSignature(name string, m types.Type) *types.Signature {
	obj := c.actor.Scope().Lookup(hooks[name])
	if obj == nil {
		return nil
	}
	t, err := types.Instantiate(nil, obj.Type(), []types.Type{m}, false)
	if err != nil {
		return nil
	}
	iface, ok := t.Underlying().(*types.Interface)
	if !ok || iface.NumMethods() != 1 || iface.Method(0).Name() != name {
		return nil
	}
	return plain(iface.Method(0).Signature())
}

// plain is a signature without its receiver.
func plain(s *types.Signature) *types.Signature {
	return types.NewSignatureType(nil, nil, nil, s.Params(), s.Results(), s.Variadic())
}

func (c *code) signature(name string, s *types.Signature) string {
	return name + types.TypeString(s, types.RelativeTo(c.Pkg))[len("func"):]
}

// isNear reports whether two edits or fewer make one name of the other, or one of them is the other with On before it.
func isNear(a, b string) bool {
	if a == "On"+b || a == b {
		return true
	}
	prev := make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := range len(a) {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next[j+1] = min(prev[j]+cost, prev[j+1]+1, next[j]+1)
		}
		prev = next
	}
	return prev[len(b)] <= 2
}
