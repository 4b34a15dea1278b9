package diagnosis

import (
	"fmt"
	"path"
	"strings"
)

// place is where a goroutine is.
type place struct {
	state string // In the words of the runtime, as "chan receive"; "" if it is not known.
	where string // The innermost function of the program's own code, with its file and line.
}

// placeOf reads the stack of one goroutine, or of a panic.
func placeOf(stack string) (p place) {
	lines := strings.Split(stack, "\n")
	if head, found := strings.CutPrefix(lines[0], "goroutine "); found {
		_, state, _ := strings.Cut(head, "[")
		state, _, _ = strings.Cut(state, "]")
		p.state, _, _ = strings.Cut(state, ",")
	}
	for n := 0; n+1 < len(lines); n++ {
		call, at := lines[n], strings.TrimSpace(lines[n+1])
		if !strings.HasPrefix(lines[n+1], "\t") || !isOwn(call) {
			continue
		}
		at, _, _ = strings.Cut(at, " +0x")
		p.where = fmt.Sprintf("%s (%s)", shortCall(call), path.Base(at))
		return p
	}
	return p
}

// does says in words what a goroutine in that state does.
func (p place) does() string {
	if p.locks() {
		return "it waits for a lock"
	}
	switch p.state {
	case "chan receive", "chan receive (nil chan)":
		return "it receives from a channel"
	case "chan send", "chan send (nil chan)":
		return "it sends to a channel"
	case "select", "select (no cases)":
		return "it waits in a select"
	case "sync.WaitGroup.Wait", "sync.Cond.Wait":
		return "it waits for other goroutines"
	case "IO wait":
		return "it waits for input or output"
	case "syscall":
		return "it is in a system call or in C"
	case "sleep":
		return "it sleeps"
	case "running", "runnable":
		return "it computes"
	}
	return ""
}

// locks reports whether it waits for a lock, which something else has.
func (p place) locks() bool {
	switch p.state {
	case "sync.Mutex.Lock", "sync.RWMutex.Lock", "sync.RWMutex.RLock", "semacquire":
		return true
	}
	return false
}

// module is this one, whose frames say nothing about the program, but for its examples.
const module = "github.com/troupe-go/troupe/"

// isOwn reports whether a line of a stack is a call of the program's own code, or of a library that is not the standard one.
func isOwn(call string) bool {
	if strings.HasPrefix(call, "created by ") || !strings.Contains(call, "(") {
		return false
	}
	if rest, ours := strings.CutPrefix(call, module); ours {
		return strings.HasPrefix(rest, "examples/")
	}
	first := call[:strings.IndexAny(call, "/.(")]
	return first != "panic" && !standard[first]
}

// standard has the first elements of the import paths of the standard library.
var standard = func() map[string]bool {
	all := map[string]bool{}
	for name := range strings.FieldsSeq(`archive bufio bytes cmp compress container context crypto database debug embed encoding
		errors expvar flag fmt go hash html image index internal io iter log maps math mime net os path plugin reflect regexp
		runtime slices sort strconv strings structs sync syscall testing text time unicode unique unsafe vendor weak`) {
		all[name] = true
	}
	return all
}()

// shortCall makes "payments.charge" of "main.(*payments).charge(0xc000, ...)".
func shortCall(call string) string {
	if at := strings.LastIndexByte(call, '('); at > 0 {
		call = call[:at]
	}
	call = call[strings.LastIndexByte(call, '/')+1:]
	call = strings.NewReplacer("(*", "", "(", "", ")", "", "[...]", "").Replace(call)
	pkg, name, found := strings.Cut(call, ".")
	if !found {
		return call
	}
	if strings.HasPrefix(name, "func") || !strings.Contains(name, ".") && pkg != "main" {
		return call // A function of a package, or one without a name.
	}
	return name
}
