// Package enginetest has the tests that an engine has to pass.
//
//	func TestSuite(t *testing.T) {
//		enginetest.Run(t, func(t *testing.T) enginetest.Subject {
//			return enginetest.Subject{Engines: []engine.Engine{open(t)}}
//		})
//	}
//
// Each case is what the comments of package engine promise. Cases of tables and logs run
// twice: as they are, and with each call made before with a context that has ended.
package enginetest
