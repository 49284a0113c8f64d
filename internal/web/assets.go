package web

import (
	"io/fs"
	"sync"

	"waymark/internal/httpx"
)

// assets are the files below /static. Each has an address with the hash of its content,
// which browsers may store forever.
type assets struct {
	*httpx.Assets
	base string // the path of the base URL
}

// loadAssets reads all files of the folder static. All sites of a process share them: minifying and
// compressing them takes most of the time of New, which tests call hundreds of times.
var loadAssets = sync.OnceValues(func() (*httpx.Assets, error) {
	files, err := fs.Sub(staticFiles, "static")
	if err != nil {
		return nil, err
	}
	return httpx.LoadAssets(files)
})

// url returns the address of the file with this name.
func (a *assets) url(name string) string { return a.base + "/static/" + a.HashedNames()[name] }
