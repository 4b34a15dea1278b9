// Package power has the tests of the SQLite store on a disk that loses power. They are a
// module of their own, since the library of the file system is for these tests alone.
package power
