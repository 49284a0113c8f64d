package main

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// imageUser is the user of the program in the image, and the owner of its data.
const imageUser = 1000

// image writes an image as a .tar that docker load, podman load, skopeo and crane read: an OCI layout, and the
// list of older versions of Docker. The image contains the program, root certificates and an empty folder for the data,
// the only one that the program can write to. The program contains the time zones.
func (r *release) image(t target, program string) error {
	layer, err := r.layer(program)
	if err != nil {
		return err
	}
	image, err := mutate.ConfigFile(mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON), r.imageConfig(t))
	if err != nil {
		return err
	}
	history := v1.History{Created: v1.Time{Time: r.date}, CreatedBy: "tools/release"}
	if image, err = mutate.Append(image, mutate.Addendum{Layer: layer, History: history, MediaType: types.OCILayer}); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(filepath.Dir(program), "image-")
	if err != nil {
		return err
	}
	files, err := layout.Write(dir, empty.Index)
	if err != nil {
		return err
	}
	name := "waymark:" + r.version
	if err := files.AppendImage(image, layout.WithAnnotations(map[string]string{"io.containerd.image.name": "docker.io/library/" + name, "org.opencontainers.image.ref.name": r.version}),
		layout.WithPlatform(v1.Platform{OS: t.os, Architecture: t.arch})); err != nil {
		return err
	}
	if err := writeDockerList(dir, name, image); err != nil {
		return err
	}
	return r.tarFolder(r.file("_image_%s.tar", t.arch), dir)
}

// imageConfig returns what the Dockerfile says, too.
func (r *release) imageConfig(t target) *v1.ConfigFile {
	return &v1.ConfigFile{
		OS: t.os, Architecture: t.arch, Created: v1.Time{Time: r.date},
		RootFS: v1.RootFS{Type: "layers"},
		Config: v1.Config{
			User:         "1000:1000",
			Env:          []string{"PATH=/usr/bin", "WAYMARK_DATA=/data", "WAYMARK_LISTEN=:8080", "TMPDIR=/data"},
			Entrypoint:   []string{"waymark"},
			Cmd:          []string{"serve"},
			Volumes:      map[string]struct{}{"/data": {}},
			ExposedPorts: map[string]struct{}{"8080/tcp": {}},
			Healthcheck:  &v1.HealthConfig{Test: []string{"CMD", "waymark", "healthcheck"}, Interval: 30e9, StartPeriod: 10e9},
			Labels: map[string]string{
				"org.opencontainers.image.title": "Waymark", "org.opencontainers.image.version": r.version,
				"org.opencontainers.image.revision": r.commit, "org.opencontainers.image.licenses": "MIT",
			},
		},
	}
}

// layer returns the only layer of an image.
func (r *release) layer(program string) (v1.Layer, error) {
	content, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	var files bytes.Buffer
	tape := tar.NewWriter(&files)
	for _, f := range []struct {
		name    string
		mode    int64
		user    int
		content []byte
	}{
		{"etc/", 0o755, 0, nil},
		{"etc/ssl/", 0o755, 0, nil},
		{"etc/ssl/certs/", 0o755, 0, nil},
		{"etc/ssl/certs/ca-certificates.crt", 0o644, 0, rootCertificates()},
		{"usr/", 0o755, 0, nil},
		{"usr/bin/", 0o755, 0, nil},
		{"usr/bin/waymark", 0o755, 0, content},
		{"data/", 0o700, imageUser, nil},
	} {
		if err := r.addToTar(tape, f.name, f.mode, f.user, f.content); err != nil {
			return nil, err
		}
	}
	if err := tape.Close(); err != nil {
		return nil, err
	}
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(files.Bytes())), nil }, tarball.WithMediaType(types.OCILayer))
}

// rootCertificates returns the certificates of Mozilla's list that need no further condition, as PEM.
func rootCertificates() []byte {
	var text bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			pem.Encode(&text, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}) //nolint:errcheck // into memory
		}
	}
	return text.Bytes()
}

// writeDockerList writes manifest.json, which docker load of versions before 25 reads.
func writeDockerList(dir, name string, image v1.Image) error {
	manifest, err := image.Manifest()
	if err != nil {
		return err
	}
	blob := func(d v1.Descriptor) string { return "blobs/" + d.Digest.Algorithm + "/" + d.Digest.Hex }
	list, err := json.Marshal([]any{map[string]any{"Config": blob(manifest.Config), "RepoTags": []string{name}, "Layers": []string{blob(manifest.Layers[0])}}})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "manifest.json"), list, 0o644)
}

// tarFolder writes the files of a folder, sorted by name.
func (r *release) tarFolder(name, dir string) (err error) {
	out, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	tape := tar.NewWriter(out)
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		return r.addToTar(tape, filepath.ToSlash(relative), 0o644, 0, content)
	})
	return errors.Join(err, tape.Close())
}
