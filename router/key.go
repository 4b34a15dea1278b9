package router

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/troupe-go/troupe/internal/workers"
)

// Key finds out where a message belongs: it returns a hash of the message's
// key, or false if the message has none. It is called by many at the same time,
// and must return the same for the same message. [By] makes one.
type Key[M any] func(m M) (hash uint64, ok bool)

// Hashable is the set of types of keys. The function given to By turns other values
// into one of these, such as a string.
type Hashable interface {
	~string | ~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// By makes a Key of a function that returns the key of a message, and whether
// it has one. The hash of a key is the same in each process: FNV-1a for strings,
// the number itself for integers, and a mixing step for both, the one of
// SplitMix64.
func By[M any, K Hashable](key func(m M) (k K, ok bool)) Key[M] {
	if key == nil {
		return nil
	}
	hash := hasher[K]()
	return func(m M) (uint64, bool) {
		k, ok := key(m)
		if !ok {
			return 0, false
		}
		return hash(k), true
	}
}

// hasher returns the hash function for a type of keys. A type switch on k would
// allocate, but the kind of its type says how it lies in memory.
func hasher[K Hashable]() func(K) uint64 {
	if reflect.TypeFor[K]().Kind() == reflect.String {
		return func(k K) uint64 { return hashString(*(*string)(unsafe.Pointer(&k))) }
	}
	switch unsafe.Sizeof(*new(K)) {
	case 1:
		return func(k K) uint64 { return mix(uint64(*(*uint8)(unsafe.Pointer(&k)))) }
	case 2:
		return func(k K) uint64 { return mix(uint64(*(*uint16)(unsafe.Pointer(&k)))) }
	case 4:
		return func(k K) uint64 { return mix(uint64(*(*uint32)(unsafe.Pointer(&k)))) }
	default:
		return func(k K) uint64 { return mix(*(*uint64)(unsafe.Pointer(&k))) }
	}
}

// hashString is FNV-1a, mixed since its upper bits hardly depend on the end of a
// short string.
func hashString(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return mix(h)
}

// golden is 2^64 divided by the golden ratio: the steps of SplitMix64.
const golden = 0x9e3779b97f4a7c15

// mix is the output function of SplitMix64: Steele, Lea and Flood, Fast
// Splittable Pseudorandom Number Generators, OOPSLA 2014.
func mix(x uint64) uint64 {
	x += golden
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// of returns the hash of m's key. Should the user's function panic, that is an
// error of this message alone.
func (key Key[M]) of(m M) (hash uint64, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("router: Config.Key: %w", workers.NewPanicError(v))
		}
	}()
	hash, ok := key(m)
	if !ok {
		return 0, fmt.Errorf("%w: %T", ErrNoKey, m)
	}
	return hash, nil
}
