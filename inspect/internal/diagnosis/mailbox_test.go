package diagnosis_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/inspect/internal/diagnosis"
)

var start = time.Unix(1e9, 0)

func after(seconds int) time.Time { return start.Add(time.Duration(seconds) * time.Second) }

// Ten messages came before the first look, and one is handled each second.
func TestAge(t *testing.T) {
	m := diagnosis.NewMemory()
	for n := range 9 {
		m.Add(after(n), uint64(n), 10-n)
		if age := m.Age(after(n)); age != time.Duration(n)*time.Second {
			t.Errorf("after %d s the oldest is %v old", n, age)
		}
	}
	handled, growth := m.Rates()
	if handled != 1 || growth != -1 {
		t.Errorf("%v are handled a second, and it grows by %v", handled, growth)
	}
	// The last of the ten is handled, and others have come.
	m.Add(after(10), 10, 3)
	if age := m.Age(after(10)); age != 0 {
		t.Errorf("after all were handled the oldest is %v old", age)
	}
	m.Add(after(11), 11, 2)
	if age := m.Age(after(11)); age != time.Second {
		t.Errorf("a second later it is %v old", age)
	}
	// The next incarnation counts from the start.
	m.Add(after(12), 1, 2)
	if age := m.Age(after(12)); age != 0 {
		t.Errorf("after a restart it is %v old", age)
	}
}

// The age is never more than the true one, and less by two looks at most, as long as no points are left out.
func TestAgeAgainstMessages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := diagnosis.NewMemory()
		var waiting []int // When each message came, the oldest first.
		handled := uint64(0)
		for second := range rapid.IntRange(1, diagnosis.MaxPoints-1).Draw(t, "looks") {
			for range rapid.IntRange(0, 5).Draw(t, "come") {
				waiting = append(waiting, second)
			}
			n := min(len(waiting), rapid.IntRange(0, 5).Draw(t, "handled"))
			waiting, handled = waiting[n:], handled+uint64(n)
			if len(waiting) == 0 {
				m = diagnosis.NewMemory()
				continue
			}
			m.Add(after(second), handled, len(waiting))
			age, truth := m.Age(after(second)), time.Duration(second-waiting[0])*time.Second
			if age > truth || age < truth-time.Second {
				t.Fatalf("after %d s the oldest is said to be %v old, and is %v", second, age, truth)
			}
		}
	})
}

// Of hours only some looks are remembered, and an age is still about right.
func TestAgeOfHours(t *testing.T) {
	m := diagnosis.NewMemory()
	const hours = 3 * 3600
	for n := range hours {
		m.Add(after(n), 7, 10+n)
	}
	if m.Points() > diagnosis.MaxPoints {
		t.Errorf("there are %d points", m.Points())
	}
	if age := m.Age(after(hours - 1)); age != (hours-1)*time.Second {
		t.Errorf("the oldest is %v old", age)
	}
	// The one that came in the middle is the oldest now.
	m.Add(after(hours), 7+10+hours/2, hours/2)
	age, truth := m.Age(after(hours)), hours/2*time.Second
	if age > truth+time.Second || age < truth-4*time.Minute {
		t.Errorf("the oldest is said to be %v old, and is %v", age, truth)
	}
	if _, growth := m.Rates(); growth > 1 {
		t.Errorf("it grows by %v", growth)
	}
}
