package storetest

import "waymark/internal/waymark"

// Picture returns a picture with some data.
func Picture(data string) waymark.Picture {
	return waymark.Picture{Hash: waymark.PictureHash([]byte(data)), Type: "image/png", Width: 64, Height: 32, Data: []byte(data)}
}
