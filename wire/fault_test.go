//go:build !race && !invariants

package wire_test

import (
	"testing"

	"github.com/troupe-go/troupe/internal/planted"
)

// TestTestsFindPlantedFaults shows that no promise of the package can be broken unnoticed.
func TestTestsFindPlantedFaults(t *testing.T) {
	planted.Expect(t, "", wireFaults)
}

var wireFaults = planted.Group{
	Run: "^Test(Check|RegistriesAgree|Messages|Versions|Append|Own|Decode|Memory|Offer|Errors|Values)",
	Faults: []planted.Fault{
		{
			Name: "layouts are not compared",
			In:   "differ",
			Old:  "here.layout != there.layout",
			New:  "here.layout != here.layout",
			Nth:  4,
			Want: "FAIL: TestRegistriesAgree",
			Run:  "^TestRegistriesAgree$",
		},
		{
			Name: "any newer version is read",
			In:   "differ",
			Old:  "newer.oldest > older.version",
			New:  "newer.oldest > newer.version",
			Want: "FAIL: TestRegistriesAgree",
			Run:  "^TestRegistriesAgree$",
		},
		{
			Name: "a type is written by the other side's number",
			In:   "Offer.Agree",
			Old:  "a.incoming[i] = incoming{e.name, e, out.err}",
			New:  "a.incoming[min(int(out.number), len(a.incoming)-1)] = incoming{e.name, e, out.err}",
			Want: "FAIL: TestMessagesCross",
			Run:  "^TestMessagesCross$",
		},
		{
			Name: "memory is not bounded",
			In:   "entry.need",
			Old:  "values > left/each",
			New:  "values > left",
			Want: "FAIL: TestMemoryIsBounded",
			Run:  "^TestMemoryIsBounded$",
		},
		{
			Name: "a slice that a method returns is taken for the buffer",
			Dir:  "../internal/codec",
			In:   "AppendOwn",
			Old:  "cap(room) >= len(data) && &room[:1][0] == &data[0]",
			New:  "cap(room) >= len(data)",
			Want: "FAIL: TestOwnMethodsGetTheirPlace",
			Run:  "^TestOwnMethodsGetTheirPlace$",
		},
		{
			Name: "a message may be of any size",
			In:   "Offer.append",
			Old:  `n > o.limits.Message`,
			New:  `n < 0`,
			Want: "FAIL: TestAppendRefuses",
			Run:  "^TestAppendRefuses$",
		},
		{
			Name: "a cyclic value is not looked for",
			Dir:  "../internal/codec",
			In:   "checker.look",
			Old:  "depth < 0",
			New:  "depth < -100000",
			Want: "FAIL: TestAppendRefuses",
			Run:  "^TestAppendRefuses$",
		},
		{
			Name: "text that is no UTF-8 is changed on its way",
			Dir:  "../internal/codec",
			In:   "MarksBadText",
			Old:  "return true",
			New:  "return false",
			Want: "FAIL: TestAppendRefuses",
			Run:  "^TestAppendRefuses$",
		},
		{
			Name: "an unexported field is lost",
			Dir:  "../internal/codec",
			In:   "walker.fields",
			Old:  "!f.IsExported()",
			New:  "!f.IsExported() && f.Anonymous",
			Want: "FAIL: TestCheck",
			Run:  "^TestCheck",
		},
		{
			Name: "bytes behind an offer are ignored",
			In:   "reader.end",
			Old:  "r.err == nil && len(r.data) > 0",
			New:  "r.err == nil && len(r.data) < 0",
			Want: "FAIL: TestOfferRefuses",
			Run:  "^TestOfferRefuses$",
		},
		{
			Name: "a context value comes twice",
			In:   "Agreement.DecodeValues",
			Old:  "last = number + 1",
			New:  "last = number",
			Want: "FAIL: TestValuesCross",
			Run:  "^TestValuesCross$",
		},
		{
			Name: "a relayed error forgets names",
			In:   "Offer.namesIn",
			Old:  "errors.As(err, &remote)",
			New:  "err == nil && errors.As(err, &remote)",
			Want: "FAIL: TestErrorsCross",
			Run:  "^TestErrorsCross$",
		},
	},
}
