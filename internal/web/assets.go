package web

import (
	"io/fs"

	"waymark/internal/httpx"
)

// assets are the files below /static. Each has an address with the hash of its content,
// which browsers may store forever.
type assets struct {
	*httpx.Assets
	base string // the path of the base URL
}

// loadAssets reads all files of the folder.
func loadAssets(files fs.FS, base string) (*assets, error) {
	all, err := httpx.LoadAssets(files)
	if err != nil {
		return nil, err
	}
	return &assets{all, base}, nil
}

// url returns the address of the file with this name.
func (a *assets) url(name string) string { return a.base + "/static/" + a.HashedNames()[name] }
