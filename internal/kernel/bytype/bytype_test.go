package bytype_test

import (
	"reflect"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/internal/kernel/bytype"
)

// Each type keeps the value that it had first, also if several goroutines ask at once, and more types are asked for than
// the small table has entries.
func TestMap(t *testing.T) {
	types := []reflect.Type{reflect.TypeFor[int]()}
	for range 300 {
		types = append(types, reflect.ArrayOf(len(types), types[0]))
	}
	var m bytype.Map[reflect.Type]
	makes := func(t reflect.Type) *reflect.Type { return &t }
	found := make([][]*reflect.Type, 4)
	var all sync.WaitGroup
	for n := range found {
		all.Go(func() {
			for range 3 {
				for _, of := range types {
					found[n] = append(found[n], m.Of(of, makes))
				}
			}
		})
	}
	all.Wait()
	for n := range found {
		for i, v := range found[n] {
			if want := found[0][i%len(types)]; v != want || *v != types[i%len(types)] {
				t.Fatalf("goroutine %d found %v at %p for %v, want %p", n, *v, v, types[i%len(types)], want)
			}
		}
	}
}

func BenchmarkOf(b *testing.B) {
	var m bytype.Map[int]
	t := reflect.TypeFor[string]()
	makes := func(reflect.Type) *int { return new(int) }
	b.ReportAllocs()
	for b.Loop() {
		m.Of(t, makes)
	}
}
