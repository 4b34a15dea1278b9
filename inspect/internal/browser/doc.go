// Package browser has the tests of the live page in a real browser. They are in
// a package of their own, as the driver of the browser is for these tests alone.
package browser
