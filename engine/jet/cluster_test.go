package jet_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/troupe-go/troupe/engine"
	"github.com/troupe-go/troupe/engine/enginetest"
	"github.com/troupe-go/troupe/engine/jet"
	"github.com/troupe-go/troupe/internal/lane"
)

// cores returns the configurations of three core nodes. Their addresses are of the loopback
// network, and no other test has them.
func cores(t *testing.T, name string) (nodes []jet.Config) {
	t.Helper()
	lane.Nightly(t) // Elections take many seconds.
	if runtime.GOOS != "linux" {
		t.Skip("other systems than Linux have no addresses 127.x.y.z of their own")
	}
	cluster := jet.Cluster{Name: name, User: "u", Password: "secret"}
	net := clusters.Add(1)
	for i := range 3 {
		cluster.Core = append(cluster.Core, fmt.Sprintf("127.%d.%d.%d:7422", 1+os.Getpid()>>8&0x7f, os.Getpid()&0xff, (int(net)*4+i)&0xff))
	}
	for i, node := range []string{"a", "b", "c"} {
		c := jet.Config{Name: node, Dir: t.TempDir(), Cluster: cluster}
		c.Cluster.Listen = cluster.Core[i]
		nodes = append(nodes, c)
	}
	return nodes
}

// clusters counts the clusters of this process.
var clusters atomic.Uint32

// openAll opens several engines at once, since one alone has no quorum.
func openAll(t *testing.T, configs []jet.Config) []*jet.Engine {
	t.Helper()
	engines, errs := make([]*jet.Engine, len(configs)), make([]error, len(configs))
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var wait sync.WaitGroup
	for i, c := range configs {
		wait.Go(func() { engines[i], errs[i] = jet.Open(ctx, c) })
	}
	wait.Wait()
	t.Cleanup(func() { closeAll(t, engines) })
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	return engines
}

func closeAll(t *testing.T, engines []*jet.Engine) {
	t.Helper()
	for _, e := range engines {
		if e == nil {
			continue
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}

func asEngines(list []*jet.Engine) (all []engine.Engine) {
	for _, e := range list {
		all = append(all, e)
	}
	return all
}

func TestSuiteEmbeddedThree(t *testing.T) {
	configs := cores(t, "three")
	enginetest.Run(t, func(t *testing.T) enginetest.Subject {
		engines := openAll(t, configs)
		return enginetest.Subject{Engines: asEngines(engines), Restart: func(t *testing.T) []engine.Engine {
			closeAll(t, engines)
			return asEngines(openAll(t, configs))
		}}
	})
}

func TestOneOfThreeIsLostAndNothingAcknowledged(t *testing.T) {
	configs := cores(t, "loss")
	engines := openAll(t, configs)
	member := configs[0]
	member.Name, member.Dir, member.Cluster.Listen = "d", t.TempDir(), ""
	all := append(openAll(t, []jet.Config{member}), engines...)
	table, err := all[0].Table(t.Context(), "table") // By a node that keeps none.
	if err != nil {
		t.Fatal(err)
	}
	put := func(i int) {
		for {
			_, err := table.Put(t.Context(), fmt.Sprintf("key-%d", i), []byte("x"), engine.Absent, 0)
			var conflict *engine.ConflictError
			if err == nil || errors.As(err, &conflict) { // A conflict is with a write whose outcome was unknown.
				return
			}
			if !errors.Is(err, engine.ErrUnavailable) && !errors.Is(err, engine.ErrUnknownOutcome) {
				t.Fatalf("Put %d: %v", i, err)
			}
			<-time.After(10 * time.Millisecond)
		}
	}
	const each = 10
	for i := range each {
		put(i)
	}
	closeAll(t, engines[:1])
	for i := range each {
		put(each + i)
	}
	for i := range 2 * each {
		for {
			_, err := table.Get(t.Context(), fmt.Sprintf("key-%d", i))
			if err == nil {
				break
			}
			if !errors.Is(err, engine.ErrUnavailable) {
				t.Fatalf("Get of key %d, which was acknowledged: %v", i, err)
			}
			<-time.After(10 * time.Millisecond)
		}
	}
	closeAll(t, engines[1:2]) // Now there is no quorum.
	_, err = table.Put(t.Context(), "late", nil, engine.Any, 0)
	if !errors.Is(err, engine.ErrUnavailable) && !errors.Is(err, engine.ErrUnknownOutcome) {
		t.Errorf("Put without a quorum: %v", err)
	}
	if err := all[0].Bus().Reachable(); err != nil {
		t.Errorf("the bus of a node that reaches another: %v", err)
	}
}
