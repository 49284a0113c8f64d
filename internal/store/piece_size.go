package store

import (
	"errors"

	"waymark/internal/waymark"
)

// pieceBytes is the approximate maximum memory of the entities in one piece of a result. A
// larger result is read piece by piece, while its client receives it.
const pieceBytes = 1 << 20

// errLargePiece means that entities take more than pieceBytes. They can be read in smaller
// pieces.
var errLargePiece = errors.New("the result is too large for one piece")

// pieceSize is the memory that the entities of a piece take. An entity that is alone in its
// piece may have any size.
type pieceSize struct {
	bytes  int
	single bool
}

// add adds the size of an entity, or returns errLargePiece.
func (p *pieceSize) add(bytes int) error {
	p.bytes += bytes
	if p.bytes > pieceBytes && !p.single {
		return errLargePiece
	}
	return nil
}

// The sizes of entities in memory, without their texts.
const (
	linkBytes  = 350
	listBytes  = 150
	tagBytes   = 120
	noteBytes  = 120
	labelBytes = 150 // of a list or tag in a cache, besides its own
)

func sizeOfLink(l *waymark.Link) int {
	size := linkBytes + len(l.URL) + len(l.Title) + len(l.Description) + len(l.Thumbnail)
	for i := range l.Lists {
		size += sizeOfList(&l.Lists[i])
	}
	for i := range l.Tags {
		size += sizeOfTag(&l.Tags[i])
	}
	return size
}

func sizeOfList(l *waymark.List) int { return listBytes + len(l.Name) + len(l.Description) }
func sizeOfTag(t *waymark.Tag) int   { return tagBytes + len(t.Name) }
func sizeOfNote(n *waymark.Note) int { return noteBytes + len(n.Text) }
