package inspect_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/troupe-go/troupe/actor"
	"github.com/troupe-go/troupe/inspect"
	"github.com/troupe-go/troupe/sched"
)

// The actors with the fullest mailboxes come first.
func ExampleInspector_Actors() {
	ctx := context.Background()
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		log.Fatal(err)
	}
	insp, err := inspect.New(sys, inspect.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer insp.Close()
	open, entered := make(chan struct{}), make(chan struct{}, 3)
	busy := actor.Func(func(*actor.Context[string], string) error {
		entered <- struct{}{}
		<-open
		return nil
	})
	for _, name := range []string{"idle", "busy"} {
		ref, err := actor.Spawn(sys, busy, actor.WithName(name))
		if err != nil {
			log.Fatal(err)
		}
		if name == "busy" {
			for n := range 3 {
				if err := ref.Send(ctx, "job"); err != nil {
					log.Fatal(err)
				}
				if n == 0 {
					<-entered // It is being handled.
				}
			}
		}
	}
	page, err := insp.Actors(inspect.Query{Sort: inspect.ByMailbox, Limit: 1})
	if err != nil {
		log.Fatal(err)
	}
	for _, a := range page.Actors {
		fmt.Println(a.Name, a.PID, a.State, a.Mailbox)
	}
	close(open)
	fmt.Println(sys.Stop(ctx))
	// Output:
	// busy <1.1> running 2
	// <nil>
}

// Events tell of what somebody may want to look at.
func ExampleInspector_Subscribe() {
	ctx := context.Background()
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		log.Fatal(err)
	}
	insp, err := inspect.New(sys, inspect.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer insp.Close()
	failures := insp.Subscribe(inspect.Subscription{Kinds: []inspect.EventKind{inspect.Failed}})
	ref, err := actor.Spawn(sys, actor.Func(func(*actor.Context[int], int) error {
		return errors.New("the disk is full")
	}), actor.WithName("store"))
	if err != nil {
		log.Fatal(err)
	}
	if err := ref.Send(ctx, 1); err != nil {
		log.Fatal(err)
	}
	e, err := failures.Next(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(e)
	fmt.Println(sys.Stop(ctx))
	// Output:
	// ERROR failed: store<0.1> has failed: the disk is full
	// <nil>
}

// A recording is written when somebody wants to know what led to the present.
// Here it is read again; mostly it is opened in the live page, or in Perfetto.
func ExampleInspector_Record() {
	ctx := context.Background()
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		log.Fatal(err)
	}
	insp, err := inspect.New(sys, inspect.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer insp.Close()
	recorder, err := insp.Record(inspect.RecordConfig{}) // With a Dir, panics are written by themselves.
	if err != nil {
		log.Fatal(err)
	}
	ref, err := actor.Spawn(sys, actor.Func(func(*actor.Context[string], string) error { return nil }), actor.WithName("store"))
	if err != nil {
		log.Fatal(err)
	}
	if err := errors.Join(ref.Send(ctx, "key"), ref.Drain(ctx)); err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	if err := recorder.Snapshot().Write(&file); err != nil {
		log.Fatal(err)
	}
	recording, err := inspect.ReadRecording(&file)
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range recording.Events {
		if e.Kind == sched.EventMessage {
			fmt.Println(e.Kind, e.Label.Name)
		}
	}
	fmt.Println(sys.Stop(ctx))
	// Output:
	// message string
	// <nil>
}

// The page is part of a server that the program has anyway.
func ExampleInspector_Handler() {
	ctx := context.Background()
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		log.Fatal(err)
	}
	insp, err := inspect.New(sys, inspect.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer insp.Close()
	page, err := insp.Handler(inspect.WebConfig{Name: "shop"})
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/troupe/", http.StripPrefix("/troupe", page))
	server := httptest.NewServer(mux) // On loopback; elsewhere it would need a token.
	defer server.Close()

	resp, err := http.Get(server.URL + "/troupe/api/names")
	if err != nil {
		log.Fatal(err)
	}
	names, err := io.ReadAll(resp.Body)
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		log.Fatal(err)
	}
	fmt.Println(resp.Status, strings.TrimSpace(string(names)))
	fmt.Println(sys.Stop(ctx))
	// Output:
	// 200 OK []
	// <nil>
}

// The page has an address of its own. Close it before the inspector.
func ExampleInspector_Listen() {
	ctx := context.Background()
	sys, err := actor.NewSystem(actor.Config{})
	if err != nil {
		log.Fatal(err)
	}
	insp, err := inspect.New(sys, inspect.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer insp.Close()
	_, err = insp.Listen("0.0.0.0:0", inspect.WebConfig{})
	fmt.Println(err)                                    // Others could look.
	page, err := insp.Listen(":0", inspect.WebConfig{}) // Any port, on loopback.
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.HasPrefix(page.URL(), "http://127.0.0.1:"))
	fmt.Println(page.Close(), sys.Stop(ctx))
	// Output:
	// inspect: the address 0.0.0.0:0 can be reached from elsewhere, which needs a WebConfig.Token
	// true
	// <nil> <nil>
}
