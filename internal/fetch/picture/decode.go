package picture

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"net/http"

	"golang.org/x/image/bmp"
	"golang.org/x/image/webp"
)

// ErrUnsupported means that data is no image of a supported type. SVG can contain scripts.
var ErrUnsupported = errors.New("not a PNG, JPEG, GIF, WebP, BMP or ICO image")

// ErrTooLarge means that an image would need too much memory or time.
var ErrTooLarge = errors.New("the image is too large")

// format is an image format.
type format struct {
	config func(io.Reader) (image.Config, error)
	decode func(io.Reader) (image.Image, error)
	// bytes is the maximum memory for decoding, in bytes for each pixel.
	bytes int64
}

// formatOf returns the format of an image, or ErrUnsupported.
func formatOf(data []byte) (format, error) {
	switch http.DetectContentType(data) {
	case "image/png":
		return format{png.DecodeConfig, png.Decode, 16}, nil // 4 channels of 16 bits, twice if interlaced
	case "image/jpeg":
		// Progressive images need 4 bytes for each of 4 channels, in addition to the image.
		return format{jpeg.DecodeConfig, jpeg.Decode, 20}, nil
	case "image/gif":
		return format{gif.DecodeConfig, gif.Decode, 4}, nil // of the first frame
	case "image/webp":
		return format{webp.DecodeConfig, webp.Decode, 9}, nil // the image twice, and the alpha channel
	case "image/bmp":
		return format{bmp.DecodeConfig, bmp.Decode, 4}, nil
	case "image/x-icon":
		return format{icoConfig, decodeICO, 16}, nil
	}
	return format{}, ErrUnsupported
}

// decode decodes an image. It returns ErrTooLarge if that could need more than memory bytes, or too long.
func decode(data []byte, memory int64) (decoded image.Image, err error) {
	f, err := formatOf(data)
	if err != nil {
		return nil, err
	}
	// A bug in a decoder must not stop the server.
	defer func() {
		if p := recover(); p != nil {
			decoded, err = nil, fmt.Errorf("the image cannot be decoded: %v", p)
		}
	}()
	size, err := f.config(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if size.Width < 1 || size.Height < 1 {
		return nil, errors.New("the image is empty")
	}
	if int64(size.Width) > memory/f.bytes/int64(size.Height) || decodingWork(data, size) > maxWork {
		return nil, ErrTooLarge
	}
	decoded, err = f.decode(bytes.NewReader(data))
	if err == nil && decoded.Bounds().Empty() {
		err = errors.New("the image is empty")
	}
	return decoded, err
}

// maxWork is the maximum number of pixels that a decoder visits. It takes about a second. A progressive
// JPEG has about 10 scans, so a photo of 13 megapixels is well below.
const maxWork = 400_000_000

// decodingWork returns how many pixels the decoder of an image visits, at most: each scan of a JPEG visits all.
func decodingWork(data []byte, size image.Config) int64 {
	const block = 32 // the largest unit of a JPEG, to which its sides are rounded up
	roundUp := func(side int) int64 { return int64(side+block-1) / block * block }
	scans := 1
	if http.DetectContentType(data) == "image/jpeg" {
		scans = bytes.Count(data, []byte("\xff\xda")) // also in metadata, where there are few
	}
	return int64(scans) * roundUp(size.Width) * roundUp(size.Height)
}
