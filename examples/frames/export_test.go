package main

import (
	"context"
	"io"
	"time"
)

// Play shows a film.
func Play(ctx context.Context, w io.Writer, frames int, every, draws time.Duration) error {
	return film{frames, every, draws}.play(ctx, w)
}
