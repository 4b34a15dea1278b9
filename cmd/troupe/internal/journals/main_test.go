package journals_test

import (
	"testing"

	"github.com/troupe-go/troupe/cmd/troupe/internal/journals/places"
	"github.com/troupe-go/troupe/internal/leak"
)

func TestMain(m *testing.M) { leak.Main(places.Main{M: m}) }
