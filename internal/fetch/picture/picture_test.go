package picture_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"golang.org/x/image/bmp"

	"waymark/internal/fetch/picture"
)

// memory is enough for all images of the tests that are not too large.
const memory = 64 << 20

// gradient is an image that is red on the left and blue on the right.
func gradient(width, height int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			m.SetNRGBA(x, y, color.NRGBA{R: uint8(255 - 255*x/width), B: uint8(255 * x / width), A: 255})
		}
	}
	return m
}

func encoded(t testing.TB, write func(*bytes.Buffer) error) []byte {
	t.Helper()
	var out bytes.Buffer
	check(t, write(&out))
	return out.Bytes()
}

func asPNG(t testing.TB, m image.Image) []byte {
	t.Helper()
	return encoded(t, func(out *bytes.Buffer) error { return png.Encode(out, m) })
}

func asJPEG(t testing.TB, m image.Image) []byte {
	t.Helper()
	return encoded(t, func(out *bytes.Buffer) error { return jpeg.Encode(out, m, nil) })
}

// asICO returns an ICO file with one image.
func asICO(side, depth int, data []byte) []byte {
	file := []byte{0, 0, 1, 0, 1, 0, byte(side), byte(side), 0, 0, 1, 0, byte(depth), 0}
	file = binary.LittleEndian.AppendUint32(file, uint32(len(data)))
	file = binary.LittleEndian.AppendUint32(file, 22)
	return append(file, data...)
}

// bitmap returns a bitmap as ICO files have it.
func bitmap(side, depth int, palette, pixels []byte) []byte {
	data := make([]byte, 40)
	binary.LittleEndian.PutUint32(data, 40)
	binary.LittleEndian.PutUint32(data[4:], uint32(side))
	binary.LittleEndian.PutUint32(data[8:], uint32(2*side))
	binary.LittleEndian.PutUint16(data[12:], 1)
	binary.LittleEndian.PutUint16(data[14:], uint16(depth))
	return append(append(data, palette...), pixels...)
}

// show decodes a picture and checks what every picture must be.
func show(t testing.TB, p picture.Picture) image.Image {
	t.Helper()
	if len(p.Data) > picture.MaxBytes {
		t.Errorf("got %d bytes, want at most %d", len(p.Data), picture.MaxBytes)
	}
	m, format, err := image.Decode(bytes.NewReader(p.Data))
	check(t, err)
	if got := "image/" + format; got != p.Type {
		t.Errorf("got type %s, want %s", p.Type, got)
	}
	if got, want := image.Pt(p.Width, p.Height), m.Bounds().Size(); got != want {
		t.Errorf("got size %v, want %v", got, want)
	}
	return m
}

func TestThumbnailFitsAndLooksLikeItsImage(t *testing.T) {
	photo := gradient(720, 480)
	palette := image.NewPaletted(image.Rect(0, 0, 720, 480), color.Palette{color.NRGBA{R: 255, A: 255}, color.NRGBA{B: 255, A: 255}})
	draw.Draw(palette, image.Rect(360, 0, 720, 480), image.NewUniform(color.NRGBA{B: 255, A: 255}), image.Point{}, draw.Src)
	for name, data := range map[string][]byte{
		"png":  asPNG(t, photo),
		"jpeg": asJPEG(t, photo),
		"gif":  encoded(t, func(out *bytes.Buffer) error { return gif.Encode(out, palette, nil) }),
		"bmp":  encoded(t, func(out *bytes.Buffer) error { return bmp.Encode(out, photo) }),
	} {
		t.Run(name, func(t *testing.T) {
			p, err := picture.Thumbnail(data, memory)
			check(t, err)
			m := show(t, p)
			if got, want := m.Bounds().Size(), image.Pt(570, 380); got != want {
				t.Errorf("got size %v, want %v", got, want)
			}
			left, _, _, _ := m.At(20, 190).RGBA()
			_, _, right, _ := m.At(550, 190).RGBA()
			if left>>8 < 220 || right>>8 < 220 {
				t.Errorf("got red %d on the left and blue %d on the right, want more than 220", left>>8, right>>8)
			}
		})
	}
}

func TestWebPIsDecoded(t *testing.T) {
	// One pixel, lossless, as https://developers.google.com/speed/webp has it.
	data, err := hex.DecodeString("524946461a000000574542505650384c0d0000002f00000010071011118888fe0700")
	check(t, err)
	p, err := picture.Icon(data, memory)
	check(t, err)
	if show(t, p); p.Width != 1 || p.Height != 1 { // not enlarged
		t.Errorf("got %d x %d, want 1 x 1", p.Width, p.Height)
	}
}

func TestTransparentPixelsStayTransparent(t *testing.T) {
	m := gradient(300, 300)
	draw.Draw(m, image.Rect(0, 0, 100, 300), image.Transparent, image.Point{}, draw.Src)
	p, err := picture.Icon(asPNG(t, m), memory)
	check(t, err)
	if _, _, _, a := show(t, p).At(5, 30).RGBA(); a != 0 {
		t.Errorf("got alpha %d, want 0", a)
	}
}

func TestIconsOfOldSitesAreDecoded(t *testing.T) {
	const side = 2
	red := color.NRGBA{R: 255, A: 255}
	// Lines are stored from the bottom up: the pixel at the top left is the only red one, and
	// the one at the bottom right is transparent.
	mask := []byte{0x40, 0, 0, 0, 0, 0, 0, 0}
	tests := map[string][]byte{
		"1 bit":                bitmap(side, 1, []byte{0, 255, 0, 0, 0, 0, 255, 0}, append([]byte{0, 0, 0, 0, 0x80, 0, 0, 0}, mask...)),
		"4 bits":               bitmap(side, 4, append([]byte{0, 255, 0, 0, 0, 0, 255, 0}, make([]byte, 14*4)...), append([]byte{0, 0, 0, 0, 0x10, 0, 0, 0}, mask...)),
		"8 bits":               bitmap(side, 8, append([]byte{0, 255, 0, 0, 0, 0, 255, 0}, make([]byte, 254*4)...), append([]byte{0, 0, 0, 0, 1, 0, 0, 0}, mask...)),
		"24 bits":              bitmap(side, 24, nil, append([]byte{0, 255, 0, 0, 255, 0, 0, 0, 0, 0, 255, 0, 255, 0, 0, 0}, mask...)),
		"32 bits":              bitmap(side, 32, nil, append([]byte{0, 255, 0, 255, 0, 0, 0, 0, 0, 0, 255, 255, 0, 255, 0, 255}, make([]byte, 8)...)),
		"32 bits, with a mask": bitmap(side, 32, nil, append([]byte{0, 255, 0, 0, 0, 0, 0, 0, 0, 0, 255, 0, 0, 255, 0, 0}, mask...)),
		"png": asPNG(t, func() image.Image {
			m := image.NewNRGBA(image.Rect(0, 0, side, side))
			m.SetNRGBA(0, 0, red)
			return m
		}()),
	}
	for name, data := range tests {
		t.Run(name, func(t *testing.T) {
			p, err := picture.Icon(asICO(side, 32, data), memory)
			check(t, err)
			m := show(t, p)
			if got := color.NRGBAModel.Convert(m.At(0, 0)); got != red {
				t.Errorf("top left: got %v, want %v", got, red)
			}
			if _, _, _, a := m.At(1, 1).RGBA(); a != 0 {
				t.Errorf("bottom right: got alpha %d, want 0", a)
			}
		})
	}
}

func TestTheBestImageOfAnIconIsTaken(t *testing.T) {
	file := []byte{0, 0, 1, 0, 3, 0}
	offset := 6 + 3*16
	var images []byte
	for _, side := range []int{16, 256, 64} {
		data := asPNG(t, gradient(side, side))
		file = append(file, byte(side), byte(side), 0, 0, 1, 0, 32, 0)
		file = binary.LittleEndian.AppendUint32(file, uint32(len(data)))
		file = binary.LittleEndian.AppendUint32(file, uint32(offset+len(images)))
		images = append(images, data...)
	}
	p, err := picture.Icon(append(file, images...), memory)
	check(t, err)
	if show(t, p); p.Width != 64 {
		t.Errorf("got an icon of %d pixels, want 64", p.Width)
	}
}

// withSize returns a PNG image whose header says another size.
func withSize(data []byte, width, height uint32) []byte {
	data = bytes.Clone(data)
	binary.BigEndian.PutUint32(data[16:], width)
	binary.BigEndian.PutUint32(data[20:], height)
	binary.BigEndian.PutUint32(data[29:], crc32.ChecksumIEEE(data[12:29]))
	return data
}

func TestHostileImagesAreRefused(t *testing.T) {
	small := asPNG(t, gradient(64, 64))
	for name, test := range map[string]struct {
		data []byte
		want func(error) bool
	}{
		"nothing":                {nil, is(picture.ErrUnsupported)},
		"svg":                    {[]byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`), is(picture.ErrUnsupported)},
		"a pixel":                {asPNG(t, gradient(1, 1)), is(picture.ErrTooSmall)},
		"a bomb":                 {withSize(small, 50_000, 50_000), is(picture.ErrTooLarge)},
		"a part":                 {small[:len(small)/2], func(err error) bool { return err != nil }},
		"a bomb in an icon":      {asICO(0, 32, withSize(small, 50_000, 50_000)), is(picture.ErrTooLarge)},
		"an icon of nothing":     {asICO(16, 32, make([]byte, 50)), func(err error) bool { return err != nil }},
		"an icon beyond its end": {asICO(16, 32, make([]byte, 50))[:40], func(err error) bool { return err != nil }},
	} {
		if _, err := picture.Thumbnail(test.data, memory); !test.want(err) {
			t.Errorf("%s: got error %v", name, err)
		}
	}
}

func is(want error) func(error) bool { return func(err error) bool { return errors.Is(err, want) } }

func FuzzPicture(f *testing.F) {
	f.Add(asPNG(f, gradient(40, 40)))
	f.Add(asJPEG(f, gradient(40, 40)))
	f.Add(encoded(f, func(out *bytes.Buffer) error { return gif.Encode(out, gradient(40, 40), nil) }))
	f.Add(encoded(f, func(out *bytes.Buffer) error { return bmp.Encode(out, gradient(40, 40)) }))
	f.Add(asICO(40, 32, asPNG(f, gradient(40, 40))))
	f.Add(asICO(2, 8, bitmap(2, 8, make([]byte, 1024), make([]byte, 16))))
	f.Fuzz(func(t *testing.T, data []byte) {
		if p, err := picture.Thumbnail(data, 8<<20); err == nil {
			show(t, p)
		}
		if p, err := picture.Icon(data, 8<<20); err == nil {
			show(t, p)
		}
	})
}

// TestManyScans tests that a small JPEG with many scans is refused before it is decoded.
func TestManyScans(t *testing.T) {
	const side, scans = 2400, 600
	var data bytes.Buffer
	data.WriteString("\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00")
	data.Write([]byte{0xff, 0xc2, 0, 11, 8, side >> 8, side & 0xff, side >> 8, side & 0xff, 1, 1, 0x11, 0}) // progressive, grey
	data.WriteString("\xff\xdb\x00\x43\x00" + strings.Repeat("\x01", 64))
	for range scans {
		data.WriteString("\xff\xda\x00\x08\x01\x01\x00\x00\x00\x00")
	}
	data.WriteString("\xff\xd9")
	if _, err := picture.Thumbnail(data.Bytes(), 256<<20); !errors.Is(err, picture.ErrTooLarge) {
		t.Errorf("got %v; want ErrTooLarge", err)
	}
}

// check ends the test if there is an error.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
