package singlefile_test

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"waymark/internal/fetch/singlefile"
)

// zipOf returns a ZIP file with pairs of names and contents.
func zipOf(t *testing.T, files ...string) string {
	t.Helper()
	var to bytes.Buffer
	w := zip.NewWriter(&to)
	for i := 0; i < len(files); i += 2 {
		file, err := w.Create(files[i])
		check(t, err)
		if _, err := file.Write([]byte(files[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	check(t, w.Close())
	return to.String()
}

// uploadZip cleans a page that SingleFile has compressed.
func uploadZip(t *testing.T, file string) (html, cleaned string, err error) {
	t.Helper()
	parts, err := os.CreateTemp(t.TempDir(), "")
	check(t, err)
	defer parts.Close()
	u, err := singlefile.ReadZip(strings.NewReader(file), int64(len(file)), parts)
	if err != nil {
		return "", "", err
	}
	var to bytes.Buffer
	err = u.Clean(&to)
	return u.HTML, to.String(), err
}

func TestAZippedPageGetsItsFiles(t *testing.T) {
	bytesOf := func(encoded string) string {
		data, err := base64.StdEncoding.DecodeString(encoded)
		check(t, err)
		return string(data)
	}
	small, large, font := pictureOf(100), pictureOf(100_001), base64.StdEncoding.EncodeToString([]byte("wOF2"+strings.Repeat("f", 50_000)))
	archive := zipOf(
		t, "index.html", `<!DOCTYPE html><html><!-- Page saved with SingleFile --><meta charset=utf-8><title>A page</title>
<link rel=stylesheet href=stylesheet_0.css><body onload="steal()"><script src=scripts/0.js></script><p>Gr`+"\u00fc"+`n</p><img src=images/0.png><img src=images/1.png>
<img src=images/1.png><img src=https://spy.example/images/0.png><img src=images/none.png><img src="data:image/png;base64,`+large+`">`,
		"stylesheet_0.css", `@import "sheets/1.css"; p{background:url(images/1.png)} @font-face{font-family:a;src:url(fonts/0.woff2)} b{background:url(https://spy.example/)}`,
		"sheets/1.css", `i{background:url(../images/1.png)}`,
		"images/0.png", bytesOf(small), "images/1.png", bytesOf(large), "fonts/0.woff2", bytesOf(font), "scripts/0.js", "steal()",
	)
	for name, file := range map[string]string{"alone": archive, "after HTML": "<!DOCTYPE html><html><title></title><script>unpack()</script><!--" + archive + "--></html>"} {
		html, cleaned, err := uploadZip(t, file)
		if err != nil {
			t.Fatal(name, err)
		}
		if !strings.Contains(html, "<title>A page</title>") {
			t.Errorf("%s: got the HTML %.100q, want index.html", name, html)
		}
		for part, want := range map[string]int{small: 1, large: 5, font: 1, "<p>Gr\u00fcn</p>": 1, "SingleFile": 0, "steal": 0, "spy.example": 0, "unpack": 0} {
			if got := strings.Count(cleaned, part); got != want {
				t.Errorf("%s: %.40q: got it %d times, want %d", name, part, got, want)
			}
		}
		if again, err := singlefile.Clean(cleaned, singlefile.MaxBytes); err != nil || again != cleaned {
			t.Errorf("%s: the page is not clean (error %v)", name, err)
		}
	}
}

func TestWhatIsNoZippedPageOrTooLargeIsRefused(t *testing.T) {
	many := []string{"index.html", "<html>"}
	for n := range 40 { // as large a directory as of some ten thousand short names
		many = append(many, fmt.Sprint(strings.Repeat("a", 60_000), n), "")
	}
	for _, test := range []struct {
		name, file string
		want       error
	}{
		{"no ZIP file", "<html><p>a", zip.ErrFormat},
		{"without the page", zipOf(t, "a.txt", "a"), singlefile.ErrNoPage},
		{"a page that is no HTML", zipOf(t, "index.html", "\x89PNG\r\n\x1a\n"), singlefile.ErrNoPage},
		{"a damaged page", strings.Replace(zipOf(t, "index.html", "<html>"), "index.html", "index.html\xff\xff", 1), singlefile.ErrNoPage},
		{"too much text", zipOf(t, "index.html", "<html>"+strings.Repeat("a", 9<<20)), singlefile.ErrTooLarge},
		{"too many files", zipOf(t, many...), singlefile.ErrTooLarge},
	} {
		if _, _, err := uploadZip(t, test.file); !errors.Is(err, test.want) {
			t.Errorf("%s: got error %v, want %v", test.name, err, test.want)
		}
	}
}

func TestTheFilesOfAZippedPageAreLimitedTogether(t *testing.T) {
	if testing.Short() {
		t.Skip("it compresses 30 MiB and unpacks 100")
	}
	image := "\x89PNG\r\n\x1a\n" + strings.Repeat("\x00", 30<<20)
	_, cleaned, err := uploadZip(t, zipOf(t, "index.html", "<html>"+strings.Repeat("<img src=a.png>", 5), "a.png", image))
	check(t, err)
	if got := strings.Count(cleaned, "<img src="); got != 3 {
		t.Errorf("got %d images of 30 MiB, want the 3 that fit into 100 MiB", got)
	}
}
