package page

import (
	"io/fs"
	"sync"

	"waymark/internal/httpx"
)

// loadAssets reads all files of the folder static. All sites of a process share them: minifying and
// compressing them takes most of the time of New, which tests call hundreds of times.
var loadAssets = sync.OnceValues(func() (*httpx.Assets, error) {
	files, err := fs.Sub(staticFiles, "static")
	if err != nil {
		return nil, err
	}
	return httpx.LoadAssets(files)
})

// AssetURL returns the URL of the file below static with this name. It has the hash of the content,
// so that browsers may store the file for good.
func (s *Site) AssetURL(name string) string {
	return s.Config.BaseURL.EscapedPath() + "/static/" + s.assets.HashedNames()[name]
}
