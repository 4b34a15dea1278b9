package codec

import (
	"fmt"
	"reflect"
)

// Check looks for what no codec can end: a value that is nested more deeply than depth, as a cyclic one is, or has more
// than values in it. Of types that are not Recursive, no value is too deep, and Check returns nil at once.
func (p *Plan) Check(v reflect.Value, depth, values int) error {
	if !p.Recursive {
		return nil
	}
	c := checker{p.rules.Whole, depth, values, values}
	return c.look(v, depth)
}

type checker struct {
	whole         func(reflect.Type, bool) bool
	depth, values int
	left          int
}

func (c *checker) look(v reflect.Value, depth int) error {
	if c.left--; c.left < 0 {
		return fmt.Errorf("it has more than %d values", c.values)
	}
	if depth < 0 {
		return fmt.Errorf("it is nested more than %d deep; is it cyclic?", c.depth)
	}
	if c.whole(v.Type(), v.CanAddr()) {
		return nil
	}
	var err error
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return c.look(v.Elem(), depth) // No codec writes anything for the pointer.
		}
	case reflect.Struct:
		for i := 0; i < v.NumField() && err == nil; i++ {
			if v.Type().Field(i).IsExported() {
				err = c.look(v.Field(i), depth-1)
			}
		}
	case reflect.Slice, reflect.Array:
		for i := 0; i < v.Len() && err == nil; i++ {
			err = c.look(v.Index(i), depth-1)
		}
	case reflect.Map:
		for each := v.MapRange(); each.Next() && err == nil; {
			err = c.look(each.Value(), depth-1)
		}
	}
	return err
}
