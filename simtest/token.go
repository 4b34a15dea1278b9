package simtest

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
)

// A token is a schedule as text: the seed, and the choices up to the last that is not the
// natural one, as variable-length numbers with runs of natural choices counted.

const tokenVersion = "1."

func encodeToken(seed uint64, choices []int) string {
	for len(choices) > 0 && choices[len(choices)-1] == 0 {
		choices = choices[:len(choices)-1]
	}
	raw := binary.AppendUvarint(nil, seed)
	for i := 0; i < len(choices); i++ {
		zeros := 0
		for choices[i] == 0 {
			zeros++
			i++
		}
		raw = binary.AppendUvarint(raw, uint64(zeros))
		raw = binary.AppendUvarint(raw, uint64(choices[i]))
	}
	return tokenVersion + base64.RawURLEncoding.EncodeToString(raw)
}

// maxTokenChoices bounds what a damaged token can ask for.
const maxTokenChoices = 10_000_000

func decodeToken(text string) (seed uint64, choices []int, err error) {
	body, ok := strings.CutPrefix(strings.TrimSpace(text), tokenVersion)
	if !ok {
		return 0, nil, fmt.Errorf("simtest: the schedule %q does not begin with %q; give it as the failing test printed it", text, tokenVersion)
	}
	raw, err := base64.RawURLEncoding.DecodeString(body)
	if err != nil {
		return 0, nil, fmt.Errorf("simtest: the schedule %q is damaged: %w", text, err)
	}
	seed, n := binary.Uvarint(raw)
	if n <= 0 {
		return 0, nil, fmt.Errorf("simtest: the schedule %q is damaged: it has no seed", text)
	}
	raw = raw[n:]
	for len(raw) > 0 {
		zeros, n := binary.Uvarint(raw)
		chosen, m := binary.Uvarint(raw[max(n, 0):])
		if n <= 0 || m <= 0 || zeros > maxTokenChoices || chosen > math.MaxInt32 || len(choices) > maxTokenChoices {
			return 0, nil, fmt.Errorf("simtest: the schedule %q is damaged after %d choices", text, len(choices))
		}
		choices = append(choices, make([]int, zeros)...)
		choices = append(choices, int(chosen))
		raw = raw[n+m:]
	}
	return seed, choices, nil
}
