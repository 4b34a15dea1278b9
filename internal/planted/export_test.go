package planted

import "time"

const Variable = variable

var NameOf = nameOf

// Plant returns the text of the file that gets the fault, in the package of the directory.
func Plant(dir string, f Fault) (text string, err error) {
	s, err := load(dir, "")
	if err != nil {
		return "", err
	}
	p, err := s.fit(f)
	if err != nil {
		return "", err
	}
	return p.text(), nil
}

// SlowAfter reports whether runs of the given times, one after the other, are worth a line.
func SlowAfter(totals ...time.Duration) bool {
	var c cost
	for _, d := range totals {
		c.add(d, nil)
	}
	return c.slow()
}
