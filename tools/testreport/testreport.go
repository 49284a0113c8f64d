// Testreport reads the output of go test -json. It prints the result of each package
// and the output of failed tests, and appends the names of skipped tests to a file:
//
//	go test -json ./... | testreport FILE
//
// It exits with 1 if a test failed or a package did not compile.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// event is a line of the output of go test -json, as documented by go doc test2json.
type event struct {
	Action  string
	Package string
	Test    string
	Output  string
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go test -json ./... | testreport FILE")
		os.Exit(2)
	}
	skipped, failed, err := report(os.Stdin, os.Stdout)
	if err == nil {
		err = appendLines(os.Args[1], skipped)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "testreport:", err)
	}
	if err != nil || failed {
		os.Exit(1)
	}
}

// report prints the results that it reads from in to out, and returns the skipped
// tests with their reasons.
func report(in io.Reader, out io.Writer) (skipped []string, failed bool, err error) {
	output := map[string]*strings.Builder{} // by package and test, until it ends
	decoder := json.NewDecoder(in)
	for {
		var e event
		if err := decoder.Decode(&e); errors.Is(err, io.EOF) {
			return skipped, failed, nil
		} else if err != nil {
			return nil, true, err
		}
		name := e.Package + " " + e.Test
		switch e.Action {
		case "output", "build-output":
			if e.Test == "" && (e.Action == "build-output" || isResult(e.Output)) {
				fmt.Fprint(out, e.Output)
				continue
			}
			if output[name] == nil {
				output[name] = &strings.Builder{}
			}
			output[name].WriteString(e.Output)
		case "fail", "build-fail":
			failed = true
			if b := output[name]; b != nil {
				fmt.Fprint(out, b)
			}
		case "skip":
			// The inputs of a fuzz test skip what they cannot test.
			if e.Test != "" && !strings.HasPrefix(e.Test, "Fuzz") {
				skipped = append(skipped, fmt.Sprintf("%s %s: %s", strings.TrimPrefix(e.Package, "waymark/"), e.Test, reason(output[name])))
			}
		}
		if e.Action == "pass" || e.Action == "fail" || e.Action == "skip" {
			delete(output, name)
		}
	}
}

// isResult reports whether output is the result of a package.
func isResult(output string) bool {
	return strings.HasPrefix(output, "ok ") || strings.HasPrefix(output, "FAIL\t") || strings.HasPrefix(output, "? ")
}

// reason returns the message of t.Skip: "    file_test.go:12: message".
func reason(output *strings.Builder) string {
	if output != nil {
		for line := range strings.Lines(output.String()) {
			if _, message, found := strings.Cut(line, "_test.go:"); found {
				if _, message, found = strings.Cut(message, ": "); found {
					return strings.TrimSpace(message)
				}
			}
		}
	}
	return "no reason"
}

func appendLines(name string, lines []string) error {
	if len(lines) == 0 {
		return nil
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(f, strings.Join(lines, "\n"))
	return errors.Join(err, f.Close())
}
