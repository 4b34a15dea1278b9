package wire_test

import (
	"strconv"
	"testing"
)

func BenchmarkMessage(b *testing.B) {
	from, to := sides(b, everything, everything)
	for i, m := range []any{tick{1, 2}, &part{"pen", 150, true}, order{From: "ada", To: "bob", Parts: make([]part, 5)}} {
		data, err := from.Append(nil, m)
		if err != nil {
			b.Fatal(err)
		}
		b.Run("append/"+strconv.Itoa(i), func(b *testing.B) {
			b.ReportAllocs()
			buf := data
			for b.Loop() {
				if buf, err = from.Append(buf[:0], m); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("decode/"+strconv.Itoa(i), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := to.Decode(data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
