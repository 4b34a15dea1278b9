package netio_test

import (
	"testing"

	"github.com/troupe-go/troupe/internal/leak"
	"github.com/troupe-go/troupe/internal/patience"
)

func TestMain(m *testing.M) { leak.Main(m) }

var guarded = patience.Context
