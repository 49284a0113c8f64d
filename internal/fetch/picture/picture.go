// Package picture makes small pictures from images of other servers. The images are untrusted: they
// are decoded within a memory limit, scaled, and encoded again.
package picture

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"

	"golang.org/x/image/draw"
)

// MaxBytes is the maximum size of a picture in bytes.
const MaxBytes = 40 << 10

// The maximum sizes of pictures in pixels.
const (
	thumbnailWidth  = 640
	thumbnailHeight = 380
	iconSide        = 64 // twice the size on the pages, for screens with a high pixel density
)

// minThumbnail is the minimum width and height of a thumbnail's image. Smaller ones are icons or count visitors.
const minThumbnail = 32

// ErrTooSmall means that an image is too small for a thumbnail.
var ErrTooSmall = fmt.Errorf("the image is less than %d pixels wide or high", minThumbnail)

// errTooComplex means that a picture is larger than MaxBytes even at the lowest quality. It does not
// occur with these maximum sizes.
var errTooComplex = errors.New("the picture cannot be encoded in 40 KiB")

// Picture is an image that is safe to send to browsers.
type Picture struct {
	Data          []byte // at most MaxBytes
	Type          string // image/jpeg or image/png
	Width, Height int    // in pixels
}

// Thumbnail makes a picture of at most 640 x 380 pixels. memory is the maximum memory for decoding
// data, in bytes. Errors wrap ErrUnsupported, ErrTooSmall or ErrTooLarge, or are errors of a decoder.
func Thumbnail(data []byte, memory int64) (Picture, error) {
	from, err := decode(data, memory)
	if err != nil {
		return Picture{}, err
	}
	if size := from.Bounds().Size(); min(size.X, size.Y) < minThumbnail {
		return Picture{}, ErrTooSmall
	}
	return encode(scale(from, thumbnailWidth, thumbnailHeight))
}

// illustrationSide is the maximum width and height of an illustration in pixels.
const illustrationSide = 1600

// Illustration returns an image as a JPEG of at most 1600 x 1600 pixels, on a white background, as Thumbnail does.
func Illustration(data []byte, memory int64) ([]byte, error) {
	from, err := decode(data, memory)
	if err != nil {
		return nil, err
	}
	if size := from.Bounds().Size(); min(size.X, size.Y) < minThumbnail {
		return nil, ErrTooSmall
	}
	var out bytes.Buffer
	err = jpeg.Encode(&out, onWhite(scale(from, illustrationSide, illustrationSide)), &jpeg.Options{Quality: 80})
	return out.Bytes(), err
}

// Icon makes a picture of at most 64 x 64 pixels from an image of any size, as Thumbnail does.
func Icon(data []byte, memory int64) (Picture, error) {
	from, err := decode(data, memory)
	if err != nil {
		return Picture{}, err
	}
	return encode(scale(from, iconSide, iconSide))
}

// BetterIconSide reports whether an icon is better for Icon than another one, given their widths in
// pixels. The best is the smallest one that is at least 64 pixels wide, or else the largest one.
func BetterIconSide(side, best int) bool {
	return side > best && best < iconSide || side < best && side >= iconSide
}

// scale reduces an image so that it fits into width and height. It does not enlarge images.
func scale(from image.Image, width, height int) *image.RGBA {
	size := from.Bounds().Size()
	switch {
	case size.X <= width && size.Y <= height:
		width, height = size.X, size.Y
	case size.X*height > size.Y*width:
		height = max(1, size.Y*width/size.X)
	default:
		width = max(1, size.X*height/size.Y)
	}
	if size.X > 2*width && size.Y > 2*height { // far less time and memory for a photo than CatmullRom alone
		twice := image.NewRGBA(image.Rect(0, 0, 2*width, 2*height))
		draw.ApproxBiLinear.Scale(twice, twice.Rect, from, from.Bounds(), draw.Src, nil)
		from = twice
	}
	to := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.CatmullRom.Scale(to, to.Rect, from, from.Bounds(), draw.Src, nil)
	return to
}

// encode encodes an image. It uses PNG for icons and for images with transparent pixels, unless that
// needs more than MaxBytes, and otherwise JPEG on a white background.
func encode(from *image.RGBA) (Picture, error) {
	picture := Picture{Width: from.Rect.Dx(), Height: from.Rect.Dy()}
	var out bytes.Buffer
	if !from.Opaque() || picture.Width <= iconSide && picture.Height <= iconSide {
		encoder := png.Encoder{CompressionLevel: png.BestCompression}
		if err := encoder.Encode(&out, from); err != nil {
			return Picture{}, err
		}
		if out.Len() <= MaxBytes {
			picture.Data, picture.Type = out.Bytes(), "image/png"
			return picture, nil
		}
	}
	opaque := onWhite(from)
	for _, quality := range []int{82, 70, 55, 40, 25, 10, 1} {
		out.Reset()
		if err := jpeg.Encode(&out, opaque, &jpeg.Options{Quality: quality}); err != nil {
			return Picture{}, err
		}
		if out.Len() <= MaxBytes {
			picture.Data, picture.Type = out.Bytes(), "image/jpeg"
			return picture, nil
		}
	}
	return Picture{}, errTooComplex
}

// onWhite returns an image on a white background.
func onWhite(from *image.RGBA) *image.RGBA {
	opaque := image.NewRGBA(from.Rect)
	draw.Draw(opaque, opaque.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(opaque, opaque.Rect, from, image.Point{}, draw.Over)
	return opaque
}
