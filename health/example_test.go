package health_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/health"
)

// disk is an actor that knows how well it does.
type disk struct{ free int }

func (d *disk) Receive(_ *actor.Context[int], n int) error {
	d.free -= n
	return nil
}

func (d *disk) Health(*actor.Context[int]) actor.Health {
	if d.free < 10 {
		return actor.Health{Level: actor.Degraded, Reason: fmt.Sprintf("%d GB left", d.free)}
	}
	return actor.Health{}
}

func Example() {
	ctx := context.Background()
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		log.Fatal(err)
	}
	if _, err = actor.Spawn(sys, actor.Actor[int](&disk{free: 7}), actor.WithName("disk")); err != nil {
		log.Fatal(err)
	}
	r := health.Check(ctx, sys)
	fmt.Println(r.Level, r.Reason)
	w := httptest.NewRecorder()
	health.Ready(sys, health.Config{}).ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "/readyz", nil))
	fmt.Println(w.Code)
	fmt.Println(sys.Stop(ctx))
	// Output:
	// degraded /disk: 7 GB left
	// 200
	// <nil>
}
