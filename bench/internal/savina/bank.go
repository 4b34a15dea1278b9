package savina

import (
	"fmt"
	"math/rand/v2"

	"github.com/troupe-go/troupe/internal/bench/suite"
)

var bank = suite.Workload{
	Name: Bank, Family: suite.Actors, Baseline: channels, Unit: "ns/transfer", Size: 1000, TinySize: 20, TinyN: 200,
	About: "a teller has 1,000 accounts, each an actor, transfer money: one debits itself, has the other credit itself, " +
		"and does nothing else until that is confirmed (Savina); at most 1,000 transfers are under way",
}

// Transfer is an order to move money. It always goes from a lower to a higher
// number, as in the suite, so that accounts do not wait for each other in circles.
type Transfer struct{ From, To, Amount int }

// Teller orders transfers.
type Teller struct {
	Left    int // To be ordered.
	Pending int // Ordered, and not confirmed.
	Done    int64
	random  *rand.Rand
	size    int
}

// NewTeller returns a teller that orders n transfers between so many accounts.
func NewTeller(n, accounts int) *Teller { return &Teller{Left: n, random: random(0), size: accounts} }

// Next returns the next transfer, if one may be ordered now.
func (t *Teller) Next() (Transfer, bool) {
	if t.Left == 0 || t.Pending == t.size {
		return Transfer{}, false
	}
	t.Left--
	t.Pending++
	return t.draw(), true
}

func (t *Teller) draw() Transfer {
	from := t.random.IntN(t.size * 8 / 10)
	return Transfer{From: from, To: from + 1 + t.random.IntN(t.size-from-1), Amount: 1 + t.random.IntN(100)}
}

// Confirm notes the end of a transfer and reports whether it was the last.
func (t *Teller) Confirm() bool {
	t.Pending--
	t.Done++
	return t.Left == 0 && t.Pending == 0
}

// CheckBalances compares the accounts with those that n transfers lead to. All
// began with nothing.
func CheckBalances(n int, balances []int) error {
	want, t := make([]int, len(balances)), NewTeller(n, len(balances))
	for range n {
		x := t.draw()
		want[x.From] -= x.Amount
		want[x.To] += x.Amount
	}
	for i := range want {
		if balances[i] != want[i] {
			return fmt.Errorf("account %d has %d, not %d", i, balances[i], want[i])
		}
	}
	return nil
}
