// Package library has the programs of the Savina suite for libraries whose
// messages are of any type, written once for all of them. A library joins in by
// a Stage, a thin layer over what it offers: a call through an interface for
// each message, which is a few nanoseconds.
package library

import (
	"fmt"
	"os"

	"github.com/troupe-go/troupe/bench/internal/savina"
	"github.com/troupe-go/troupe/internal/bench/suite"
)

// Address is what a library calls an actor by: its *actor.PID, say.
type Address any

// Stage is where actors are started and sent to: by the program, or by an actor.
// [Check] reports its errors.
type Stage interface {
	// Spawn starts an actor that handles its messages by receive. The
	// library's own messages, such as the news that the actor has started, arrive
	// there too, so receive must ignore messages of unknown types.
	Spawn(receive Receive) Address
	Send(to Address, m any)
}

// Self is the Stage as an actor sees it. It is valid during one call of Receive.
type Self interface {
	Stage
	Address() Address
	// Stop stops the actor after this message.
	Stop()
}

// Receive handles a message.
type Receive func(self Self, m any)

// Host calls do with the stage of a new system, and ends that afterwards.
type Host func(do func(Stage) (int64, error)) (int64, error)

// Check ends the process if there is an error. It does nothing else, be it in a
// handler, whose panics and errors libraries treat as they like: a run is a
// process of its own, and its failure is to be seen.
func Check(err error) {
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Runs are the programs, for one library.
func Runs(host Host) map[string]suite.Func {
	runs := map[string]suite.Func{}
	for name, program := range map[string]func(*suite.Run, Stage) (int64, error){
		savina.Counting:      counting,
		savina.Throughput:    throughput,
		savina.Chameneos:     chameneos,
		savina.Dictionary:    dictionary,
		savina.BoundedBuffer: boundedBuffer,
		savina.Philosophers:  philosophers,
		savina.Bank:          bank,
		savina.RadixSort:     radixSort,
		savina.Sieve:         sieve,
		savina.Cobweb:        cobweb,
		savina.Queens:        queens,
		savina.MatrixProduct: matrixProduct,
	} {
		runs[name] = func(r *suite.Run) (int64, error) {
			return host(func(s Stage) (int64, error) { return program(r, s) })
		}
	}
	// These have a system for each batch.
	for name, program := range map[string]func(*suite.Run, int, Stage) (int64, error){
		savina.Creation:       creation,
		savina.SleepingBarber: sleepingBarber,
	} {
		runs[name] = func(r *suite.Run) (sum int64, err error) {
			err = r.Batches(func(k int) error {
				n, err := host(func(s Stage) (int64, error) { return program(r, k, s) })
				sum += n
				return err
			})
			return sum, err
		}
	}
	return runs
}

// start is what an actor begins at.
type start struct{}

func spawnN(s Stage, n int, receive func(i int) Receive) []Address {
	all := make([]Address, n)
	for i := range all {
		all[i] = s.Spawn(receive(i))
	}
	return all
}

func total(counts []int64) (sum int64) {
	for _, c := range counts {
		sum += c
	}
	return sum
}
