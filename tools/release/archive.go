package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path"
)

// archive writes the program and its documents into a .tar.gz, or a .zip for Windows.
func (r *release) archive(t target, program string, documents []document) (err error) {
	files := append([]document{{program, "waymark" + t.suffix()}}, documents...)
	if t.os == "windows" {
		return r.zip(r.file("_%s.zip", t), files)
	}
	out, err := os.Create(r.file("_%s.tar.gz", t))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	compressed, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return err
	}
	tape := tar.NewWriter(compressed)
	for i, f := range files {
		content, err := os.ReadFile(f.file)
		if err != nil {
			return err
		}
		if err := r.addToTar(tape, path.Join("waymark_"+r.version, f.path), mode(i), 0, content); err != nil {
			return err
		}
	}
	return errors.Join(tape.Close(), compressed.Close())
}

// mode returns the permissions of a file in an archive: the first one is the program.
func mode(i int) int64 {
	if i == 0 {
		return 0o755
	}
	return 0o644
}

// addToTar adds a file that belongs to a user, or a folder if the name ends with a slash.
func (r *release) addToTar(tape *tar.Writer, name string, mode int64, user int, content []byte) error {
	header := &tar.Header{Name: name, Mode: mode, Size: int64(len(content)), ModTime: r.date, Uid: user, Gid: user, Typeflag: tar.TypeReg, Format: tar.FormatPAX}
	if name[len(name)-1] == '/' {
		header.Typeflag = tar.TypeDir
	}
	if err := tape.WriteHeader(header); err != nil {
		return err
	}
	_, err := tape.Write(content)
	return err
}

func (r *release) zip(name string, files []document) (err error) {
	out, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	archive := zip.NewWriter(out)
	for _, f := range files {
		content, err := os.Open(f.file)
		if err != nil {
			return err
		}
		w, err := archive.CreateHeader(&zip.FileHeader{Name: path.Join("waymark_"+r.version, f.path), Method: zip.Deflate, Modified: r.date})
		if err == nil {
			_, err = io.Copy(w, content)
		}
		if err := errors.Join(err, content.Close()); err != nil {
			return err
		}
	}
	return archive.Close()
}
