package entity

import (
	"context"

	"github.com/troupe-go/troupe/actor"
)

// StartOn is Start for a system that has joined a carrier, without a cluster.
func StartOn(ctx context.Context, sys *actor.System, valid func() error, opts ...Option) (*Host, error) {
	return start(ctx, sys, valid, opts...)
}

// Started reports whether the host knows that the activation for an id has started.
func Started[M any](h *Host, k *Kind[M], id string) bool {
	s := h.rosterOf(k.spec).seatOf(id)
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	return s.started
}

// Leaving reports whether the activation for an id is about to end.
func Leaving[M any](h *Host, k *Kind[M], id string) bool {
	s := h.rosterOf(k.spec).seatOf(id)
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	return s.leaving
}

// Look has the keeper of a kind look at its activations.
func Look[M any](ctx context.Context, h *Host, k *Kind[M]) error {
	r := h.rosterOf(k.spec)
	if err := r.keeper.Send(ctx, errand{sweep: true}); err != nil {
		return err
	}
	_, err := actor.Ask(ctx, r.keeper, func(reply actor.Reply[struct{}]) errand { return errand{begun: reply} })
	return err
}

// Asked reports whether the activation for an id is to drain when it has started.
func Asked[M any](h *Host, k *Kind[M], id string) bool {
	s := h.rosterOf(k.spec).seatOf(id)
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	return s.asked
}

// InstallTwo does what two senders do that find no activation at the same time, and reports whether the second one uses
// the activation of the first.
func InstallTwo[M any](h *Host, k *Kind[M], id string) (shared bool, err error) {
	r := h.rosterOf(k.spec)
	s := r.seatOf(id)
	first, err := r.spec.spawn(r.at, id)
	if err != nil {
		return false, err
	}
	second, err := r.spec.spawn(r.at, id)
	if err != nil {
		return false, err
	}
	if _, _, err := r.install(s, first); err != nil {
		return false, err
	}
	other, _, err := r.install(s, second)
	return other == first, err
}

// Active returns how many activations the host has of a kind.
func Active(h *Host, k Registered) int { return len(h.rosterOf(k.described()).all()) }
