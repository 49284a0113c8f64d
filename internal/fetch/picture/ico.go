package picture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/png"
	"io"

	"golang.org/x/image/bmp"
)

var errICO = errors.New("the ICO image is damaged")

// The sizes of the parts of an ICO file in bytes.
const (
	icoHeader = 6
	icoEntry  = 16 // for each image
	bmpHeader = 40
)

// maxICOImages is the maximum number of images in an ICO file that are considered.
const maxICOImages = 64

// pngSignature is the beginning of an image that is a PNG, not a bitmap.
const pngSignature = "\x89PNG"

// icoImage returns the best image in an ICO file, see BetterIconSide.
func icoImage(from io.Reader) ([]byte, error) {
	data, err := io.ReadAll(from)
	if err != nil {
		return nil, err
	}
	if len(data) < icoHeader {
		return nil, errICO
	}
	var best []byte
	bestSide, bestDepth := 0, 0
	for i := range min(int(binary.LittleEndian.Uint16(data[4:])), maxICOImages) {
		at := icoHeader + i*icoEntry
		if at+icoEntry > len(data) {
			break
		}
		entry := data[at : at+icoEntry]
		side, depth := int(entry[0]), int(binary.LittleEndian.Uint16(entry[6:]))
		if side == 0 {
			side = 256
		}
		size, offset := uint64(binary.LittleEndian.Uint32(entry[8:])), uint64(binary.LittleEndian.Uint32(entry[12:]))
		if offset+size > uint64(len(data)) || size < bmpHeader {
			continue
		}
		better := BetterIconSide(side, bestSide) || side == bestSide && depth > bestDepth
		if better {
			best, bestSide, bestDepth = data[offset:offset+size], side, depth
		}
	}
	if best == nil {
		return nil, errICO
	}
	return best, nil
}

// icoConfig returns the size of the image that decodeICO decodes.
func icoConfig(from io.Reader) (image.Config, error) {
	data, err := icoImage(from)
	if err != nil {
		return image.Config{}, err
	}
	if bytes.HasPrefix(data, []byte(pngSignature)) {
		return png.DecodeConfig(bytes.NewReader(data))
	}
	file, _ := asBMP(data)
	return bmp.DecodeConfig(bytes.NewReader(file))
}

// decodeICO decodes an ICO image. A bitmap without an alpha channel is followed by a mask, in which a set bit
// makes a pixel transparent.
func decodeICO(from io.Reader) (image.Image, error) {
	data, err := icoImage(from)
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(data, []byte(pngSignature)) {
		return png.Decode(bytes.NewReader(data))
	}
	file, pixels := asBMP(data)
	decoded, err := bmp.Decode(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	if alpha, ok := decoded.(*image.NRGBA); ok {
		if hasAlpha(alpha.Pix) {
			return decoded, nil
		}
		for i := 3; i < len(alpha.Pix); i += 4 {
			alpha.Pix[i] = 0xff
		}
	}
	width, height := decoded.Bounds().Dx(), decoded.Bounds().Dy()
	mask := file[min(pixels+lineSize(width, bitmapDepth(data))*height, len(file)):]
	line := lineSize(width, 1)
	to := image.NewNRGBA(decoded.Bounds())
	for y := range height {
		for x := range width {
			r, g, b, _ := decoded.At(x, y).RGBA()
			c := color.NRGBA{R: uint8(r >> 8), G: uint8(g >> 8), B: uint8(b >> 8), A: 0xff} //nolint:gosec // RGBA returns 16 bits
			if len(mask) >= line*height && mask[(height-1-y)*line+x/8]>>(7-x%8)&1 == 1 {
				c.A = 0
			}
			to.SetNRGBA(x, y, c)
		}
	}
	return to, nil
}

// bitmapDepth returns the number of bits for each pixel of a bitmap.
func bitmapDepth(data []byte) int { return int(binary.LittleEndian.Uint16(data[14:])) }

// lineSize returns the size of a line of a bitmap in bytes.
func lineSize(width, depth int) int { return (width*depth + 31) / 32 * 4 }

// asBMP returns a bitmap in an ICO file as a BMP file, and the position of its pixels. In its header, the height
// includes the mask. Version 4 of the header permits an alpha channel.
func asBMP(data []byte) (file []byte, pixels int) {
	const fileHeader, header = 14, 108
	little := binary.LittleEndian
	file = make([]byte, fileHeader+header, fileHeader+header+len(data))
	copy(file, "BM")
	copy(file[fileHeader:], data[:bmpHeader])
	little.PutUint32(file[fileHeader:], header)
	little.PutUint32(file[fileHeader+8:], little.Uint32(data[8:])/2)
	pixels = fileHeader + header
	if depth := bitmapDepth(data); depth <= 8 {
		colours := int(min(little.Uint32(data[32:]), 1<<8))
		if colours == 0 {
			colours = 1 << depth
		}
		pixels += 4 * colours
	}
	little.PutUint32(file[10:], uint32(pixels)) //nolint:gosec // at most 1146
	return append(file, data[bmpHeader:]...), pixels
}

// hasAlpha reports whether pixels of 32 bits have an alpha channel. Old icons have 0 in its place.
func hasAlpha(pixels []byte) bool {
	for i := 3; i < len(pixels); i += 4 {
		if pixels[i] != 0 {
			return true
		}
	}
	return false
}
