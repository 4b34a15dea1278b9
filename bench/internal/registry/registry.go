// Package registry lets libraries live in one program that have registered the
// same names with protobuf, as protoactor-go and Hollywood do with actor.PID:
// else the process ends when it starts. Nothing here looks the names up.
//
// It must come before their packages are initialised. Go initialises the
// first, by import path, of the packages whose imports are all initialised;
// this one needs only os, and its path is before google.golang.org, which both
// libraries need.
package registry

import "os"

// variable is documented at https://protobuf.dev/reference/go/faq#namespace-conflict.
const variable = "GOLANG_PROTOBUF_REGISTRATION_CONFLICT"

func init() {
	if err := os.Setenv(variable, "ignore"); err != nil {
		panic(err)
	}
}
