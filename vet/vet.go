package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"strings"

	"golang.org/x/tools/go/analysis"
)

const actorPath = "github.com/troupe-go/troupe/actor"

const docs = "https://github.com/troupe-go/troupe/blob/main/docs/guide/vet.md"

// Analyzers returns all analyzers. The slice is the caller's.
func Analyzers() []*analysis.Analyzer {
	return []*analysis.Analyzer{
		analyzer("reply", "a path of a handler that does not answer an ask", checkReplies),
		analyzer("keptcontext", "a Context that is used where it has no effect", checkContexts),
		analyzer("lockedthread", "a handler that locks its thread and does not unlock it", checkThreads),
		analyzer("nearhook", "a method that is nearly a hook of an actor", checkHooks),
		analyzer("droppederror", "a handler that drops the error of a Send", checkSends),
		analyzer("sharedstate", "a message that leads to state which the actor changes", checkState),
	}
}

// analyzer makes an analyzer of a check, which does not see what the comments silence.
func analyzer(name, doc string, check func(c *code)) *analysis.Analyzer {
	return &analysis.Analyzer{Name: name, Doc: "find " + doc, URL: docs + "#" + name, Run: func(pass *analysis.Pass) (any, error) {
		if c := codeOf(pass); c != nil {
			c.ignored = ignoredLines(pass, name)
			check(c)
		}
		return nil, nil
	}}
}

// code is the package that a check looks at.
type code struct {
	*analysis.Pass
	actor   *types.Package
	ignored map[line]bool
}

// line is a line of a file.
type line struct {
	file   string
	number int
}

// codeOf returns the package of a pass, or nil if it does not use actors.
func codeOf(pass *analysis.Pass) *code {
	for _, p := range pass.Pkg.Imports() {
		if p.Path() == actorPath {
			return &code{Pass: pass, actor: p}
		}
	}
	return nil
}

var ignore = regexp.MustCompile(`^//troupe:ignore ([a-z]+): \S`)

// ignoredLines returns the lines with a comment that silences the analyzer, and those below.
func ignoredLines(pass *analysis.Pass, name string) map[line]bool {
	lines := map[line]bool{}
	for _, f := range pass.Files {
		for _, group := range f.Comments {
			for _, comment := range group.List {
				if m := ignore.FindStringSubmatch(comment.Text); m != nil && m[1] == name {
					at := pass.Fset.Position(comment.Pos())
					lines[line{at.Filename, at.Line}] = true
					lines[line{at.Filename, at.Line + 1}] = true
				}
			}
		}
	}
	return lines
}

// report reports a mistake, unless a comment silences it. Test files are left out: tests make mistakes on purpose.
func (c *code) report(pos token.Pos, format string, args ...any) {
	at := c.Fset.Position(pos)
	if !strings.HasSuffix(at.Filename, "_test.go") && !c.ignored[line{at.Filename, at.Line}] {
		c.Reportf(pos, format, args...)
	}
}

// isActorType reports whether t is, or points to, the type of package actor with the name.
func isActorType(t types.Type, name string) bool {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Name() == name && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == actorPath
}

// messageOf returns the M of a *actor.Context[M], or nil.
func messageOf(t types.Type) types.Type {
	p, ok := types.Unalias(t).(*types.Pointer)
	if !ok || !isActorType(t, "Context") {
		return nil
	}
	if args := types.Unalias(p.Elem()).(*types.Named).TypeArgs(); args.Len() == 1 {
		return args.At(0)
	}
	return nil
}

// handler is a function that handles messages, or a hook.
type handler struct {
	body    *ast.BlockStmt
	ctx     *types.Var
	message *types.Var // Nil if it is a hook.
	self    *types.Var // The receiver, or nil.
}

var errorType = types.Universe.Lookup("error").Type()

// handlers returns the functions whose first parameter is an actor's Context and whose second one, if it is a handler of
// messages, has the type of its messages. Of hooks it returns the methods.
func (c *code) handlers() (all []handler) {
	for _, f := range c.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				fn, ok := c.TypesInfo.Defs[n.Name].(*types.Func)
				if ok && n.Body != nil {
					if h, ok := handlerOf(fn.Signature(), n.Body, hooks[n.Name.Name] != ""); ok {
						all = append(all, h)
					}
				}
			case *ast.FuncLit:
				if sig, ok := c.TypesInfo.TypeOf(n).(*types.Signature); ok {
					if h, ok := handlerOf(sig, n.Body, false); ok {
						all = append(all, h)
					}
				}
			}
			return true
		})
	}
	return all
}

func handlerOf(sig *types.Signature, body *ast.BlockStmt, isHook bool) (handler, bool) {
	params := sig.Params()
	if params.Len() == 0 {
		return handler{}, false
	}
	m := messageOf(params.At(0).Type())
	if m == nil {
		return handler{}, false
	}
	h := handler{body: body, ctx: params.At(0), self: sig.Recv()}
	if params.Len() == 2 && types.Identical(params.At(1).Type(), m) && sig.Results().Len() == 1 &&
		types.Identical(sig.Results().At(0).Type(), errorType) {
		h.message = params.At(1)
		return h, true
	}
	return h, isHook && sig.Recv() != nil
}

// methodCall returns the method of a type of package actor that is called, and what it is called of.
func (c *code) methodCall(call *ast.CallExpr) (typeName, method string, of ast.Expr) {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return "", "", nil
	}
	fn, ok := c.TypesInfo.Uses[sel.Sel].(*types.Func)
	if !ok || fn.Signature().Recv() == nil {
		return "", "", nil
	}
	for _, name := range []string{"Ref", "Reply", "Context"} {
		if isActorType(c.TypesInfo.TypeOf(sel.X), name) {
			return name, fn.Name(), sel.X
		}
	}
	return "", "", nil
}

// isCallOf reports whether a function of a package is called.
func (c *code) isCallOf(call *ast.CallExpr, path, name string) bool {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	fn, ok := c.TypesInfo.Uses[sel.Sel].(*types.Func)
	return ok && fn.Name() == name && fn.Pkg() != nil && fn.Pkg().Path() == path && fn.Signature().Recv() == nil
}

// isHandler reports whether a function literal is a handler itself, which is looked at on its own.
func (c *code) isHandler(lit *ast.FuncLit) bool {
	sig, ok := c.TypesInfo.TypeOf(lit).(*types.Signature)
	if !ok {
		return false
	}
	_, is := handlerOf(sig, lit.Body, false)
	return is
}
