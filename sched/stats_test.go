package sched_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/troupe-go/troupe/internal/workers"
	"github.com/troupe-go/troupe/sched"
)

// TestTotalAddsUp fills every figure of two workers with a number of its own, so
// that a field which is forgotten shows.
func TestTotalAddsUp(t *testing.T) {
	var st sched.Stats
	st.Workers = make([]sched.WorkerStats, 2)
	for i := range st.Workers {
		fill(reflect.ValueOf(&st.Workers[i]).Elem())
	}
	sum := st.Total()
	if sum.ID != -1 {
		t.Errorf("the sum calls itself worker %d", sum.ID)
	}
	checkDoubled(t, "", reflect.ValueOf(st.Workers[0]), reflect.ValueOf(sum))
}

func fill(v reflect.Value) {
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.Uint64:
			f.SetUint(uint64(7 + i))
		case reflect.Array:
			for j := range f.Len() {
				f.Index(j).SetInt(int64(3 + j))
			}
		case reflect.Struct:
			fill(f)
		}
	}
}

func checkDoubled(t *testing.T, name string, one, sum reflect.Value) {
	t.Helper()
	for i := range one.NumField() {
		field := name + one.Type().Field(i).Name
		switch f := sum.Field(i); f.Kind() {
		case reflect.Uint64:
			if f.Uint() != 2*one.Field(i).Uint() {
				t.Errorf("the sum of %s is %d, want %d", field, f.Uint(), 2*one.Field(i).Uint())
			}
		case reflect.Array:
			for j := range f.Len() {
				if f.Index(j).Int() != 2*one.Field(i).Index(j).Int() {
					t.Errorf("the sum of %s[%d] is wrong", field, j)
				}
			}
		case reflect.Struct:
			checkDoubled(t, field+".", one.Field(i), f)
		}
	}
}

// Every figure that the workers have reaches the users under the same name: each field
// of the workers' types has a number of its own here, so that one which is forgotten
// shows.
func TestStatsAreHandedOn(t *testing.T) {
	var from workers.Stats
	number := int64(0)
	fillAll(reflect.ValueOf(&from).Elem(), &number)
	checkSame(t, "Stats", reflect.ValueOf(from), reflect.ValueOf(sched.StatsOf(&from)))
	var rec workers.Recording
	fillAll(reflect.ValueOf(&rec).Elem(), &number)
	checkSame(t, "Recording", reflect.ValueOf(rec), reflect.ValueOf(sched.RecordingOf(&rec)))
}

// fillAll sets v, and whatever lies in it, to numbers that are never the same.
func fillAll(v reflect.Value, number *int64) {
	*number++
	switch v.Kind() {
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Unix(*number, 0)))
			return
		}
		for i := range v.NumField() {
			fillAll(v.Field(i), number)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			fillAll(v.Index(i), number)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.String:
		v.SetString(time.Duration(*number).String())
	case reflect.Uint8, reflect.Uint64:
		v.SetUint(uint64(*number % 200))
	default:
		v.SetInt(*number)
	}
}

// checkSame compares two values whose types may differ in their names.
func checkSame(t *testing.T, name string, from, to reflect.Value) {
	t.Helper()
	switch from.Kind() {
	case reflect.Struct:
		if from.Type() == to.Type() {
			if !from.Equal(to) {
				t.Errorf("%s is %v, want %v", name, to, from)
			}
			return
		}
		for i := range from.NumField() {
			field := from.Type().Field(i).Name
			if f := to.FieldByName(field); f.IsValid() {
				checkSame(t, name+"."+field, from.Field(i), f)
			} else {
				t.Errorf("there is no %s.%s", name, field)
			}
		}
	case reflect.Slice, reflect.Array:
		if from.Len() != to.Len() {
			t.Errorf("%s has %d, want %d", name, to.Len(), from.Len())
			return
		}
		for i := range from.Len() {
			checkSame(t, name, from.Index(i), to.Index(i))
		}
	case reflect.Pointer:
		if from.Pointer() != to.Pointer() {
			t.Errorf("%s is another pointer", name)
		}
	default:
		if !from.Equal(to.Convert(from.Type())) {
			t.Errorf("%s is %v, want %v", name, to, from)
		}
	}
}
