package journals

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/fxamacker/cbor/v2"
)

// encodings check the data of each codec that is known here: that it can be decoded, not what it
// means.
var encodings = map[string]func(data []byte) error{
	"json": checkJSON,
	"cbor": checkCBOR,
}

func checkJSON(data []byte) error {
	if !json.Valid(data) {
		return errors.New("its data is no JSON")
	}
	return nil
}

func checkCBOR(data []byte) error {
	if err := cbor.Wellformed(data); err != nil {
		return fmt.Errorf("its data is no CBOR: %w", err)
	}
	return nil
}
