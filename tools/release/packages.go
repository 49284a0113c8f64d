package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/apk" // the formats
	_ "github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm"
)

const (
	maintainer  = "The Waymark authors <waymark@users.noreply.example.org>"
	description = `self-hosted bookmark server
Waymark keeps links with lists, tags and notes, searches them and the
texts of their pages, and finds out which no longer work. It has pages for
browsers, and the REST APIs of LinkAce and linkding. SQLite is built in;
PostgreSQL is optional.`
)

// packages writes a .deb, a .rpm and an .apk.
func (r *release) packages(t target, program string, documents []document) error {
	dir, err := os.MkdirTemp("", "waymark-package-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for _, format := range []string{"deb", "rpm", "apk"} {
		if err := r.writePackage(t, format, program, dir, documents); err != nil {
			return fmt.Errorf("%s for %s: %w", format, t, err)
		}
	}
	return nil
}

// writePackage writes a package. dir is for files that exist only in it.
func (r *release) writePackage(t target, format, program, dir string, documents []document) (err error) {
	contents, err := r.contents(format, program, dir, documents)
	if err != nil {
		return err
	}
	script := func(name string) string { return filepath.Join(r.source, "deploy/package", name) }
	info := nfpm.WithDefaults(&nfpm.Info{
		Name: "waymark", Arch: strings.ReplaceAll(t.arch, "armv7", "arm7"), Platform: "linux", Version: r.version, Release: "1",
		Section: "web", Priority: "optional", Maintainer: maintainer, Description: description, License: "MIT", MTime: r.date,
		Overridables: nfpm.Overridables{
			Contents: contents,
			Scripts:  nfpm.Scripts{PostInstall: script("postinstall.sh"), PreRemove: script("preremove.sh"), PostRemove: script("postremove.sh")},
			RPM:      nfpm.RPM{Summary: strings.Split(description, "\n")[0], BuildHost: "localhost"},
			APK:      nfpm.APK{Scripts: nfpm.APKScripts{PostUpgrade: script("postinstall.sh")}},
		},
	})
	switch format {
	case "deb":
		info.Depends, info.Recommends = []string{"passwd"}, []string{"ca-certificates"}
	case "rpm":
		info.Depends = []string{"shadow-utils", "ca-certificates"}
	case "apk":
		info.Depends = []string{"ca-certificates-bundle"}
	}
	if err := nfpm.PrepareForPackager(info, format); err != nil {
		return err
	}
	packager, err := nfpm.Get(format)
	if err != nil {
		return err
	}
	out, err := os.Create(filepath.Join(r.dist, packager.ConventionalFileName(info)))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	return packager.Package(info, out)
}

// contents returns the files of a package.
func (r *release) contents(format, program, dir string, documents []document) (files.Contents, error) {
	printed := map[string]string{}
	for _, d := range documents {
		printed[d.path] = d.file
	}
	write := func(name, text string, compress bool) (string, error) {
		file := filepath.Join(dir, name)
		if !compress {
			return file, os.WriteFile(file, []byte(text), 0o644)
		}
		var buffer bytes.Buffer
		w, err := gzip.NewWriterLevel(&buffer, gzip.BestCompression)
		if err != nil {
			return "", err
		}
		if _, err := w.Write([]byte(text)); err != nil {
			return "", err
		}
		if err := w.Close(); err != nil {
			return "", err
		}
		return file, os.WriteFile(file, buffer.Bytes(), 0o644)
	}
	manual, err := os.ReadFile(printed["waymark.1"])
	if err != nil {
		return nil, err
	}
	license, err := os.ReadFile(filepath.Join(r.source, "LICENSE"))
	if err != nil {
		return nil, err
	}
	notices, err := os.ReadFile(printed["THIRD-PARTY-NOTICES"])
	if err != nil {
		return nil, err
	}
	var all files.Contents
	add := func(source, destination, kind string, mode os.FileMode) {
		all = append(all, &files.Content{Source: source, Destination: destination, Type: kind, FileInfo: &files.ContentFileInfo{Owner: "root", Group: "root", Mode: mode, MTime: r.date}})
	}
	generated := []struct {
		name, text, destination string
		compress                bool
	}{
		{"waymark.1.gz", string(manual), "/usr/share/man/man1/waymark.1.gz", true},
		{"copyright", "Waymark\n\n" + string(license), "/usr/share/doc/waymark/copyright", false},
		{"THIRD-PARTY-NOTICES.gz", string(notices), "/usr/share/doc/waymark/THIRD-PARTY-NOTICES.gz", true},
	}
	if format == "deb" {
		changes := fmt.Sprintf("waymark (%s-1) unstable; urgency=medium\n\n  * See CHANGELOG.md of this version.\n\n -- %s  %s\n", r.version, maintainer, r.date.Format("Mon, 02 Jan 2006 15:04:05 -0700"))
		generated = append(generated, struct {
			name, text, destination string
			compress                bool
		}{"changelog.Debian.gz", changes, "/usr/share/doc/waymark/changelog.Debian.gz", true}, struct {
			name, text, destination string
			compress                bool
		}{"overrides", "# A program of Go has no libraries.\nwaymark: statically-linked-binary [usr/bin/waymark]\n", "/usr/share/lintian/overrides/waymark", false})
	}
	for _, g := range generated {
		file, err := write(g.name, g.text, g.compress)
		if err != nil {
			return nil, err
		}
		add(file, g.destination, "", 0o644)
	}
	add(program, "/usr/bin/waymark", "", 0o755)
	add(filepath.Join(r.source, "deploy/waymark.env"), "/etc/waymark/waymark.env", "config|noreplace", 0o640)
	add(printed["completions/waymark.bash"], "/usr/share/bash-completion/completions/waymark", "", 0o644)
	add(printed["completions/_waymark"], "/usr/share/zsh/vendor-completions/_waymark", "", 0o644)
	add(printed["completions/waymark.fish"], "/usr/share/fish/vendor_completions.d/waymark.fish", "", 0o644)
	if format == "apk" {
		add(filepath.Join(r.source, "deploy/package/waymark.openrc"), "/etc/init.d/waymark", "", 0o755)
	} else {
		add(filepath.Join(r.source, "deploy/waymark.service"), "/usr/lib/systemd/system/waymark.service", "", 0o644)
	}
	return all, nil
}
