package web

import (
	"bytes"
	"io/fs"
	"path"
	"testing/fstest"

	"waymark/internal/httpx"
)

// assets are the files below /static. Each has an address with the hash of its content,
// which browsers may store for good.
type assets struct {
	*httpx.Assets
	base string // the path of the base URL
}

// loadAssets reads all files of the folder. The sheet names other files, so it is changed to
// name them by their hashes.
func loadAssets(files fs.FS, base string) (*assets, error) {
	whole, err := httpx.LoadAssets(files)
	if err != nil {
		return nil, err
	}
	changed := fstest.MapFS{}
	names, err := fs.ReadDir(files, ".")
	if err != nil {
		return nil, err
	}
	for _, entry := range names {
		body, err := fs.ReadFile(files, entry.Name())
		if err != nil {
			return nil, err
		}
		if path.Ext(entry.Name()) == ".css" {
			for name, hashed := range whole.HashedNames() {
				body = bytes.ReplaceAll(body, []byte("("+name+")"), []byte("("+hashed+")"))
				body = bytes.ReplaceAll(body, []byte(`("`+name+`")`), []byte(`("`+hashed+`")`))
			}
		}
		changed[entry.Name()] = &fstest.MapFile{Data: body}
	}
	if whole, err = httpx.LoadAssets(changed); err != nil {
		return nil, err
	}
	return &assets{whole, base}, nil
}

// url returns the address of the file with this name.
func (a *assets) url(name string) string { return a.base + "/static/" + a.HashedNames()[name] }
