package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/apk" // the formats
	_ "github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm"
)

const (
	// maintainer has an address that cannot exist: a package needs one, and the project has none. SECURITY.md and
	// CONTRIBUTING.md say how to reach the authors.
	maintainer = "The Waymark authors <noreply@waymark.invalid>"

	summary = "self-hosted bookmark server"
	details = `Waymark keeps links with lists, tags and notes, searches them and the
texts of their pages, and finds out which no longer work. It has pages for
browsers, and the REST APIs of LinkAce and linkding. SQLite is built in;
PostgreSQL is optional.`
)

// packages writes a .deb, a .rpm and an .apk.
func (r *release) packages(t target, program string, documents []document) error {
	dir, err := os.MkdirTemp(filepath.Dir(program), "package-")
	if err != nil {
		return err
	}
	for _, name := range []string{"postinstall.sh", "preremove.sh", "postremove.sh"} {
		text, err := os.ReadFile(filepath.Join(r.source, "deploy/package", name))
		copied := filepath.Join(dir, name)
		// nfpm writes the time of the file into an .apk.
		if err := errors.Join(err, os.WriteFile(copied, text, 0o644), os.Chtimes(copied, r.date, r.date)); err != nil {
			return err
		}
	}
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
	script := func(name string) string { return filepath.Join(dir, name) }
	info := nfpm.WithDefaults(&nfpm.Info{
		Name: "waymark", Arch: strings.ReplaceAll(t.arch, "armv7", "arm7"), Platform: "linux", Version: r.version, Release: "1",
		Section: "web", Priority: "optional", Maintainer: maintainer, License: "MIT", MTime: r.date,
		Overridables: nfpm.Overridables{
			Contents: contents,
			Scripts:  nfpm.Scripts{PostInstall: script("postinstall.sh"), PreRemove: script("preremove.sh"), PostRemove: script("postremove.sh")},
			RPM:      nfpm.RPM{Summary: summary, BuildHost: "localhost"},
			APK:      nfpm.APK{Scripts: nfpm.APKScripts{PostUpgrade: script("postinstall.sh")}},
		},
	})
	switch format {
	case "deb":
		info.Description = summary + "\n" + details
		info.Depends, info.Recommends = []string{"passwd"}, []string{"ca-certificates"}
	case "rpm":
		info.Description = details
		info.Depends = []string{"shadow-utils", "ca-certificates"}
	case "apk":
		info.Description = summary // one line
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
func (r *release) contents(format, program, dir string, documents []document) (all files.Contents, err error) {
	text := map[string]string{} // of the documents, by their paths in archives
	for _, d := range documents {
		content, err := os.ReadFile(d.file)
		if err != nil {
			return nil, err
		}
		text[d.path] = string(content)
	}
	const docs = "/usr/share/doc/waymark/"
	texts := map[string]string{ // by their paths in the package
		"/usr/share/man/man1/waymark.1.gz":                  text["waymark.1"],
		docs + "changelog.gz":                               text["CHANGELOG.md"],
		docs + "copyright":                                  "Waymark\n\n" + text["LICENSE"] + "\nTHIRD-PARTY-NOTICES.gz has the licenses of the modules in the program.\n",
		docs + "THIRD-PARTY-NOTICES.gz":                     text["THIRD-PARTY-NOTICES"],
		"/usr/share/bash-completion/completions/waymark":    text["completions/waymark.bash"],
		"/usr/share/fish/vendor_completions.d/waymark.fish": text["completions/waymark.fish"],
	}
	zsh := "/usr/share/zsh/site-functions/_waymark"
	if format == "deb" {
		zsh = "/usr/share/zsh/vendor-completions/_waymark"
		texts[docs+"changelog.Debian.gz"] = fmt.Sprintf("waymark (%s-1) unstable; urgency=medium\n\n  * changelog.gz has the changes.\n\n -- %s  %s\n",
			r.version, maintainer, r.date.Format("Mon, 02 Jan 2006 15:04:05 -0700"))
		texts["/usr/share/lintian/overrides/waymark"] = "# A program of Go has no libraries.\nwaymark: statically-linked-binary [usr/bin/waymark]\n"
	}
	texts[zsh] = text["completions/_waymark"]
	add := func(source, destination, kind string, mode os.FileMode) {
		all = append(all, &files.Content{Source: source, Destination: destination, Type: kind, FileInfo: &files.ContentFileInfo{Owner: "root", Group: "root", Mode: mode, MTime: r.date}})
	}
	for i, destination := range slices.Sorted(maps.Keys(texts)) {
		content := []byte(texts[destination])
		if strings.HasSuffix(destination, ".gz") {
			if content, err = compress(content); err != nil {
				return nil, err
			}
		}
		file := filepath.Join(dir, strconv.Itoa(i))
		if err := os.WriteFile(file, content, 0o644); err != nil {
			return nil, err
		}
		add(file, destination, "", 0o644)
	}
	add(program, "/usr/bin/waymark", "", 0o755)
	add(filepath.Join(r.source, "deploy/waymark.env"), "/usr/share/waymark/waymark.env", "", 0o644) // postinstall.sh copies it once
	if format == "apk" {
		add(filepath.Join(r.source, "deploy/package/waymark.openrc"), "/etc/init.d/waymark", "", 0o755)
	} else {
		add(filepath.Join(r.source, "deploy/waymark.service"), "/usr/lib/systemd/system/waymark.service", "", 0o644)
	}
	return all, nil
}

// compress compresses a text with gzip.
func compress(text []byte) ([]byte, error) {
	var buffer bytes.Buffer
	w, err := gzip.NewWriterLevel(&buffer, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	_, err = w.Write(text)
	err = errors.Join(err, w.Close())
	return buffer.Bytes(), err
}
