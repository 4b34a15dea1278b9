// Package browser has the tests of the live page in a real browser. They are a
// module of their own, since the driver of the browser is for these tests alone.
package browser
