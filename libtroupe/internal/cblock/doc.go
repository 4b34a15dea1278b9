// Package cblock is a C function that blocks its thread, for a test of actors whose handlers call such functions. The
// test is in this module since the packages of the root module are built without cgo.
package cblock
