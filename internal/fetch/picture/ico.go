package picture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/png"
	"io"
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
	width, height := bitmapSize(data)
	return image.Config{Width: width, Height: height}, nil
}

// bitmapSize returns the size of a bitmap in pixels, 0 if it is invalid.
func bitmapSize(data []byte) (width, height int) {
	w, h := binary.LittleEndian.Uint32(data[4:]), binary.LittleEndian.Uint32(data[8:])
	if w > 1<<15 || h > 1<<15 {
		return 0, 0
	}
	return int(w), int(h / 2) // the height in the header includes the mask
}

// decodeICO decodes an ICO image.
func decodeICO(from io.Reader) (image.Image, error) {
	data, err := icoImage(from)
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(data, []byte(pngSignature)) {
		return png.Decode(bytes.NewReader(data))
	}
	return decodeBitmap(data)
}

// decodeBitmap decodes an uncompressed bitmap and the mask that follows it in ICO files, in which a
// set bit makes a pixel transparent. Bitmaps of 32 bits use their alpha channel instead, if they have
// one.
func decodeBitmap(data []byte) (image.Image, error) {
	width, height := bitmapSize(data)
	depth := int(binary.LittleEndian.Uint16(data[14:]))
	colours := 0
	switch depth {
	case 1, 4, 8:
		if colours = int(min(binary.LittleEndian.Uint32(data[32:]), 1<<8)); colours == 0 {
			colours = 1 << depth
		}
	case 24, 32:
	default:
		return nil, errICO
	}
	const headerSize, compression = 0, 16
	if binary.LittleEndian.Uint32(data[headerSize:]) != bmpHeader || binary.LittleEndian.Uint32(data[compression:]) != 0 {
		return nil, errICO
	}
	palette := data[bmpHeader:]
	if len(palette) < 4*colours {
		return nil, errICO
	}
	pixels := palette[4*colours:]
	palette = palette[:4*colours]
	stride, maskStride := (width*depth+31)/32*4, (width+31)/32*4
	if len(pixels) < stride*height {
		return nil, errICO
	}
	mask := pixels[stride*height:]
	alpha := depth == 32 && hasAlpha(pixels[:stride*height])
	if alpha || len(mask) < maskStride*height {
		mask = nil
	}
	to := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		line := pixels[(height-1-y)*stride:][:stride]
		for x := range width {
			c := color.NRGBA{A: 0xff}
			var bgr []byte
			switch depth {
			case 24:
				bgr = line[3*x:]
			case 32:
				bgr = line[4*x:]
				if alpha {
					c.A = bgr[3]
				}
			default:
				if bgr = paletteEntry(palette, line, x, depth); bgr == nil {
					return nil, errICO
				}
			}
			c.R, c.G, c.B = bgr[2], bgr[1], bgr[0]
			if mask != nil && mask[(height-1-y)*maskStride+x/8]>>(7-x%8)&1 == 1 {
				c.A = 0
			}
			to.SetNRGBA(x, y, c)
		}
	}
	return to, nil
}

// paletteEntry returns the colour of pixel x of a line, nil if the palette does not have it.
func paletteEntry(palette, line []byte, x, depth int) []byte {
	perByte := 8 / depth
	index := int(line[x/perByte]>>(8-depth-x%perByte*depth)) & (1<<depth - 1)
	if 4*index >= len(palette) {
		return nil
	}
	return palette[4*index:]
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
