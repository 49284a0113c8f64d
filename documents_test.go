package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The program that makes the site fails on links that lead nowhere, and on documents that its first page does not list.
func TestDocumentsMakeASite(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a program")
	}
	out := t.TempDir()
	command := exec.CommandContext(t.Context(), "go", "run", ".", "--out", out)
	command.Dir = "tools/docs"
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("make docs: %v\n%s", err, output)
	}
	for file, want := range map[string]string{
		"index.html":                `href="tutorials/first-hour.html"`,
		"tutorials/first-hour.html": `href="../search.html"`,
		"tutorials/linkace.html":    `id="from-its-database"`,
		"install.html":              `rel="next" href="https.html"`,
		"contributing.html":         `href="architecture.html"`,
		"search-index.js":           `"url":"search.html#conditions"`,
		"waymark.css":               "--accent",
		"inter-latin-400.woff2":     "wOF2",
		"screenshots/links.webp":    "WEBP",
	} {
		content, err := os.ReadFile(filepath.Join(out, file))
		if err != nil || !strings.Contains(string(content), want) {
			t.Errorf("%s does not contain %q (error %v)", file, want, err)
		}
	}
}
