package guide_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/router"
)

//guide:begin bad-pure

// hash asks for a checksum.
type hash struct {
	text string
	sum  actor.Reply[[32]byte]
}

// hasher has no state. All checksums of the program wait for each other here.
type hasher struct{}

// Receive handles one message.
func (hasher) Receive(ctx *actor.Context[hash], m hash) error {
	return m.sum.Send(ctx, sha256.Sum256([]byte(m.text)))
}

//guide:end bad-pure

// Both give the same checksum.
func Example_wrong() {
	ctx := context.Background()
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		log.Fatal(err)
	}
	bad, err := actor.Spawn(sys, hasher{})
	if err != nil {
		log.Fatal(err)
	}
	one, err := actor.Ask(ctx, bad, func(r actor.Reply[[32]byte]) hash { return hash{"text", r} })
	if err != nil {
		log.Fatal(err)
	}
	//guide:begin good-pure
	hashes, err := router.NewPool(sys, router.PoolConfig[string, [32]byte]{
		Name: "hashes",
		Do:   func(_ context.Context, text string) ([32]byte, error) { return sha256.Sum256([]byte(text)), nil },
	})
	if err != nil {
		log.Fatal(err)
	}
	sum, err := hashes.Ask(ctx, "text")
	//guide:end good-pure
	fmt.Println(sum == one, err)
	fmt.Println(sys.Stop(ctx))
	// Output:
	// true <nil>
	// <nil>
}
