package xatomic_test

import (
	"testing"

	"github.com/troupe-go/troupe/internal/xatomic"
)

func TestSignalHoldsOneToken(t *testing.T) {
	var none xatomic.Signal
	s := xatomic.NewSignal()
	if none.Made() || !s.Made() {
		t.Error("Made does not tell a signal from the zero one")
	}
	s.Offer()
	s.Offer() // Must not wait.
	if !s.Await(nil) {
		t.Error("Await did not take the token")
	}
	if s.TryReceive() {
		t.Error("two offers left two tokens")
	}
	done := make(chan struct{})
	close(done)
	if s.Await(done) {
		t.Error("Await took a token that is not there")
	}
	s.Send()
	s.Receive()
}
