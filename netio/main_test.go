package netio_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/troupe-go/troupe/internal/patience"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var guarded = patience.Context
