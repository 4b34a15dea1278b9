package word

import (
	"encoding/binary"
	"hash/maphash"
	"math/rand/v2"
)

// The seeds differ from one process to the next, so that nobody can prepare a text whose words collide.
var (
	longSeed = maphash.MakeSeed()
	mixSeed  = rand.Uint64()
)

// A word of this length or less is short: its hash is a permutation of its bytes, so two short words are the same when
// their hashes are, and neither has to be looked at. Three of four words in source code are short.
const short = 8

// The last of eight bytes of a word is never this one, which does not occur in UTF-8. So with it in that place, no long
// word has the hash of a short one.
const noByte uint64 = 0xff << 56

// hash returns the hash of the word text[start:end].
func hash(text []byte, start, end int) uint64 {
	n := end - start
	if n > short {
		return permute(maphash.Bytes(longSeed, text[start:end]) | noByte)
	}
	var w uint64
	if start+8 <= len(text) {
		w = binary.LittleEndian.Uint64(text[start:]) & (1<<(8*n) - 1)
	} else {
		for i, b := range text[start:end] {
			w |= uint64(b) << (8 * i)
		}
	}
	return permute(w)
}

// permute mixes the bits of x. It is the finalizer of SplitMix64 with a seed: each step can be undone, so no two values
// share a result.
func permute(x uint64) uint64 {
	x ^= mixSeed
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
