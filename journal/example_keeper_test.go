package journal_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/troupe-go/troupe/journal"
	"github.com/troupe-go/troupe/journal/memory"
)

// Closed stands for an erased account.
type Closed struct{}

func (Closed) event() {}

// deposit appends a deposit to the stream of an account.
func deposit(ctx context.Context, j *journal.Journal, id string, amount int) error {
	e, err := events.Encode(Deposited{amount})
	if err != nil {
		return err
	}
	return j.Append(ctx, &journal.Write{Stream: "account/" + id, Expected: journal.AnyVersion, Events: []journal.Encoded{e}})
}

// balances is a target in memory.
type balances struct {
	of map[string]int
	at journal.Position
}

func (b *balances) Position(context.Context) (journal.Position, error) { return b.at, nil }

func (b *balances) Handle(_ context.Context, batch []journal.Envelope[Event], at journal.Position) error {
	for _, e := range batch {
		switch event := e.Event.(type) {
		case Deposited:
			b.of[e.Stream] += event.Amount
		case Closed:
			delete(b.of, e.Stream)
		}
	}
	b.at = at
	return nil
}

// An erased stream leaves one event, and projections remove what they have of it.
func ExampleJournal_Erase() {
	ctx := context.Background()
	store := memory.New()
	j := journal.New(store)
	table := &balances{of: map[string]int{}}
	p, err := journal.NewProjection(journal.ProjectionConfig[Event]{
		Journal: j,
		Events:  journal.Events[Event](journal.Event[Deposited]("deposited"), journal.Erasure[Closed]()),
		Target:  table,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, id := range []string{"1001", "1001", "1002"} {
		if err := deposit(ctx, j, id, 5); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Println(p.CatchUp(ctx))
	fmt.Println(table.of)
	fmt.Println(j.Erase(ctx, "account/1001"))
	for r, err := range store.Read(ctx, "account/1001", 0) {
		fmt.Println(r.Version, r.Type, err)
	}
	fmt.Println(p.CatchUp(ctx))
	fmt.Println(table.of)
	// Output:
	// 3 <nil>
	// map[account/1001:10 account/1002:5]
	// <nil>
	// 3 journal.erased <nil>
	// 1 <nil>
	// map[account/1002:5]
}

// Trim deletes what the snapshot stands for, and keeps the last events below it.
func ExampleJournal_Trim() {
	ctx := context.Background()
	store := memory.New()
	j := journal.New(store)
	for range 5 {
		if err := deposit(ctx, j, "1001", 1); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Println(j.Trim(ctx, "account/1001", journal.Retention{}))
	// An actor with Snapshots does this by itself.
	state := journal.Encoded{Type: "account", Schema: 1, Codec: "json", Data: []byte("4")}
	if err := store.SaveSnapshot(ctx, journal.Snapshot{Stream: "account/1001", Version: 4, Encoded: state}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(j.Trim(ctx, "account/1001", journal.Retention{Keep: 1}))
	for r, err := range store.Read(ctx, "account/1001", 0) {
		fmt.Println(r.Version, err)
	}
	// Output:
	// 0 journal: trim stream "account/1001": journal: the stream has no snapshot to stand on; nothing is removed
	// 2 <nil>
	// 3 <nil>
	// 4 <nil>
	// 5 <nil>
}

// Each deposit leads to an e-mail. The first address is refused, so its event is set aside.
func ExampleOutbox() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	j := journal.New(memory.New())
	for _, id := range []string{"1001", "1002"} {
		if err := deposit(ctx, j, id, 5); err != nil {
			fmt.Println(err)
			return
		}
	}
	refuses := true
	sent := make(chan string, 2)
	mail, err := journal.NewOutbox(journal.OutboxConfig[Event]{
		Name:    "mail",
		Journal: j,
		Events:  events,
		Filter:  journal.Filter{Prefix: "account/"},
		Deliver: func(_ context.Context, d journal.Delivery[Event]) error {
			if refuses && d.Stream == "account/1001" {
				return fmt.Errorf("no such mailbox")
			}
			fmt.Println("sent", d.ID, d.Event) // The id lets the receiver tell what it has got before.
			sent <- d.ID
			return nil
		},
		Attempts: 1,
		Report: func(d journal.Delivery[Event], aside bool, err error) {
			fmt.Println("failed", d.ID, aside, err)
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	ended := make(chan error)
	go func() { ended <- mail.Run(ctx) }() // A program has a supervisor run mail.Process.
	<-sent
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		fmt.Println(err)
		return
	}
	ctx = context.Background()
	list, err := mail.Aside(ctx)
	fmt.Println(len(list), list[0].ID, err)
	refuses = false
	fmt.Println(mail.Retry(ctx))
	// Output:
	// failed account%2F1001@1 true no such mailbox
	// sent account%2F1002@1 {5}
	// 1 account%2F1001@1 <nil>
	// sent account%2F1001@1 {5}
	// 1 <nil>
}
