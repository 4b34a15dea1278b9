package vet

import "go/ast"

// sends are the methods whose errors say that a message or an answer is lost.
var sends = map[string]map[string]bool{
	"Ref":   {"Send": true, "TrySend": true, "Offer": true},
	"Reply": {"Send": true, "Fail": true},
}

// checkSends reports calls in handlers that drop such an error. To drop it on purpose, assign it to _.
func checkSends(c *code) {
	for _, h := range c.handlers() {
		ast.Inspect(h.body, func(n ast.Node) bool {
			var call ast.Expr
			switch n := n.(type) {
			case *ast.ExprStmt:
				call = n.X
			case *ast.DeferStmt:
				call = n.Call
			case *ast.GoStmt:
				call = n.Call
			case *ast.FuncLit:
				return !c.isHandler(n)
			default:
				return true
			}
			if x, ok := ast.Unparen(call).(*ast.CallExpr); ok {
				if typeName, method, _ := c.methodCall(x); sends[typeName][method] {
					c.report(x.Pos(), "the error of %s.%s is dropped: it says that the message is lost; return it, or assign it to _", typeName, method)
				}
			}
			return true
		})
	}
}
