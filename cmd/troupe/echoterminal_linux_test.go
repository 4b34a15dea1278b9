package main_test

import "testing"

// TestEchoOnATerminal types lines, and the end of input, to an echo without a
// network. The terminal shows what is typed, and then what comes back.
func TestEchoOnATerminal(t *testing.T) {
	for _, args := range [][]string{{"echo", "--stdin"}, {"echo", "--stdin", "--raw"}} {
		x := openCommand(t, args, 80, 24)
		for _, line := range []string{"hello", "and again"} {
			if _, err := x.WriteString(line + "\n"); err != nil {
				t.Fatal(err)
			}
			x.waitFor(t, line+"\r\n"+line+"\r\n")
		}
		if _, err := x.WriteString("\x04"); err != nil { // Ctrl-D.
			t.Fatal(err)
		}
		x.end(t, 0)
	}
}

// TestEchoInterruptedOnATerminal interrupts the command while a line is half typed.
func TestEchoInterruptedOnATerminal(t *testing.T) {
	x := openCommand(t, []string{"echo", "--stdin"}, 80, 24)
	if _, err := x.WriteString("one\n"); err != nil {
		t.Fatal(err)
	}
	x.waitFor(t, "one\r\none\r\n")
	if _, err := x.WriteString("tw\x03"); err != nil { // Ctrl-C.
		t.Fatal(err)
	}
	x.end(t, 130)
}
