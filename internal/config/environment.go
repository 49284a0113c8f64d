package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// File is the file from which the service and all commands read environment variables.
const File = "/etc/waymark/waymark.env"

// ReadFile sets the environment variables in a file, one NAME=VALUE a line, unless they are set
// already. Of several lines with one name, the last counts, as for systemd. Empty lines and lines that begin with # are ignored, and so are quotation marks around a
// value. A file that does not exist has no variables. One that cannot be read is an error: without its settings,
// a server would start with an empty database elsewhere. Errors never contain a value, because it can be a secret.
func ReadFile(name string) error {
	content, err := os.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("the settings in %s may not be read: run the command with sudo, or as the user of the service", name)
	case err != nil:
		return fmt.Errorf("read the settings: %w", err)
	}
	environment := os.Environ()
	for i, line := range strings.Split(strings.TrimPrefix(string(content), "\ufeff"), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		variable, value, ok := strings.Cut(line, "=")
		variable, value = strings.TrimSpace(variable), unquote(strings.TrimSpace(value))
		if !ok || variable == "" || strings.ContainsAny(variable, " \t\"'") || strings.Contains(value, "\x00") {
			return fmt.Errorf("%s, line %d: write NAME=VALUE, such as WAYMARK_DATA=/var/lib/waymark", name, i+1)
		}
		if slices.ContainsFunc(environment, func(entry string) bool { return strings.HasPrefix(entry, variable+"=") }) {
			continue
		}
		if err := os.Setenv(variable, value); err != nil {
			return fmt.Errorf("%s, line %d: %w", name, i+1, err)
		}
	}
	return nil
}

// unquote removes the quotation marks around a value.
func unquote(value string) string {
	if n := len(value); n >= 2 && (value[0] == '"' || value[0] == '\'') && value[n-1] == value[0] {
		return value[1 : n-1]
	}
	return value
}

// otherPrograms are beginnings of the names of variables that are no settings: Kubernetes sets them in
// each container for a service that is called waymark, and Waymark's own tests use the last ones.
var otherPrograms = []string{"WAYMARK_SERVICE_", "WAYMARK_PORT", "WAYMARK_TEST_", "WAYMARK_BENCH_"}

// CheckVariables returns an error for a variable of an environment (NAME=VALUE) whose name begins with
// WAYMARK_ and is not one of settings. The error names the most similar setting, and no value.
func CheckVariables(environment, settings []string) error {
	var unknown []error
	for _, entry := range environment {
		name, _, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, "WAYMARK_") || slices.Contains(settings, name) ||
			slices.ContainsFunc(otherPrograms, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) {
			continue
		}
		nearest := slices.MinFunc(settings, func(a, b string) int { return distance(name, a) - distance(name, b) })
		unknown = append(unknown, fmt.Errorf("unknown environment variable %s: the most similar setting is %s", name, nearest))
	}
	return errors.Join(unknown...)
}

// distance is the number of bytes to insert, delete or replace to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
