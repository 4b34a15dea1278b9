package main

import (
	"io"
	"os"

	"github.com/troupe-go/troupe/cmd/troupe/internal/demo"
)

// Run is run.
var Run = run

// GoSource is goSource.
var GoSource = goSource

// Main runs the program's main function on a directory. It does not return.
func Main(dir string) {
	os.Args = []string{"troupe", "demo", "--json", "--fault-rate", "0.5", dir}
	main()
}

// Command runs the program's main function with arguments. It does not return.
func Command(args ...string) {
	os.Args = append([]string{"troupe"}, args...)
	main()
}

// ShowBar returns a function that shows progress as on a terminal.
func ShowBar(w io.Writer) func(demo.Progress) { return (&bar{w: w}).show }

// ShowLines returns a function that shows progress as on anything else.
func ShowLines(w io.Writer) func(demo.Progress) { return (&lines{w: w}).show }

// Workloads and subjects that can run in a process of their own.
var (
	AllWorkloads = allWorkloads
	AllSubjects  = allSubjects
)

// ModuleVersion is moduleVersion.
var ModuleVersion = moduleVersion

// VetArgs is vetArgs.
var VetArgs = vetArgs

// IsVetTool is isVetTool.
var IsVetTool = isVetTool

// VetTool is vetTool.
var VetTool = vetTool
