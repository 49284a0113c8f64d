package transfer

import (
	"context"

	"waymark/internal/archive"
	"waymark/internal/bookmarks"
	"waymark/internal/waymark"
)

// Run carries out the import of OpenImport: see Bookmarks and Archive.
func (b *ImportBatch) Run(ctx context.Context) (waymark.Import, error) {
	if b.file.Format() == bookmarks.FormatArchive {
		return b.Archive(ctx, archive.Read(b.file.Text()))
	}
	return b.Bookmarks(ctx, b.file.All())
}
