package waymark

import (
	"crypto/sha256"
	"encoding/hex"
)

// Picture is an image that is shown with links. Links with the same image share it.
type Picture struct {
	Hash          string // of Data: 32 hexadecimal digits
	Type          string // image/jpeg or image/png
	Width, Height int    // in pixels
	Data          []byte // nil if only the rest was asked for
}

// pictureHashSize is the number of bytes of SHA-256 that the hash of a picture has.
const pictureHashSize = 16

// PictureHash returns the hash of the data of a picture.
func PictureHash(data []byte) string {
	hash := sha256.Sum256(data)
	return hex.EncodeToString(hash[:pictureHashSize])
}

// PictureKind says what a picture is for a link.
type PictureKind int

// What a picture can be for a link.
const (
	Thumbnail PictureKind = 1
	SiteIcon  PictureKind = 2
)

// LinkPictures are the pictures of a link, without their data; nil for one that the link does not have.
type LinkPictures struct {
	Thumbnail, Icon *Picture
}
