package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"aead.dev/minisign"
)

// partsList writes the list of the modules in the program, in the format of CycloneDX.
func (r *release) partsList(ctx context.Context, program string) error {
	c := exec.CommandContext(ctx, "go", "tool", "cyclonedx-gomod", "bin", "-json", "-licenses", "-noserial", "-notimestamp", "-version", r.version, "-output", r.file(".cdx.json"), program)
	c.Dir = filepath.Join(r.source, "tools/release")
	c.Env = append(os.Environ(), "GOWORK=off")
	_, err := output(c)
	return err
}

// notes writes the section of the version in CHANGELOG.md as notes.md.
func (r *release) notes() error {
	changes, err := os.ReadFile(filepath.Join(r.source, "CHANGELOG.md"))
	if err != nil {
		return err
	}
	text, found := section(string(changes), r.version)
	if !found {
		log.Printf("CHANGELOG.md has no section [%s]: the notes are those of [Unreleased]", r.version)
		if text, found = section(string(changes), "Unreleased"); !found {
			return fmt.Errorf("CHANGELOG.md has no section [%s]", r.version)
		}
	}
	text = documentLink.ReplaceAllString(text, "$1 (`$2`)")
	return os.WriteFile(filepath.Join(r.dist, "notes.md"), []byte("# Waymark "+r.version+"\n\n"+text+"\n"), 0o644)
}

// documentLink matches a link to a document of the repository. Where the notes are published, only its name helps.
var documentLink = regexp.MustCompile(`\[([^]]*)\]\((docs/[a-z/-]+\.md)[^)]*\)`)

// section returns the text of CHANGELOG.md about a version.
func section(changes, version string) (text string, found bool) {
	_, after, found := strings.Cut(changes, "\n## ["+version+"]")
	if !found {
		return "", false
	}
	_, after, _ = strings.Cut(after, "\n")
	text, _, _ = strings.Cut(after, "\n## [")
	return strings.TrimSpace(text), true
}

// checksums writes SHA256SUMS and, if there is a key, its signature, which minisign -V checks.
func (r *release) checksums(secret *minisign.PrivateKey) error {
	entries, err := os.ReadDir(r.dist)
	if err != nil {
		return err
	}
	var sums strings.Builder
	for _, entry := range entries {
		content, err := os.ReadFile(filepath.Join(r.dist, entry.Name()))
		if err != nil {
			return err
		}
		sum := sha256.Sum256(content)
		fmt.Fprintf(&sums, "%s  %s\n", hex.EncodeToString(sum[:]), entry.Name())
	}
	file := filepath.Join(r.dist, "SHA256SUMS")
	if err := os.WriteFile(file, []byte(sums.String()), 0o644); err != nil || secret == nil {
		return err
	}
	signature := minisign.SignWithComments(*secret, []byte(sums.String()), "Waymark "+r.version, "signature of SHA256SUMS")
	return os.WriteFile(file+".minisig", signature, 0o644)
}

// readKey reads a secret key of minisign, with or without a password. Without a file it returns nil.
func readKey(file string) (*minisign.PrivateKey, error) {
	if file == "" {
		return nil, nil
	}
	var key minisign.PrivateKey
	text, err := os.ReadFile(file)
	switch {
	case err != nil:
	case minisign.IsEncrypted(text):
		key, err = minisign.DecryptKey(os.Getenv("MINISIGN_PASSWORD"), text)
	default:
		err = key.UnmarshalText(text)
	}
	if err != nil {
		return nil, fmt.Errorf("read the key of minisign: %w", err)
	}
	return &key, nil
}
