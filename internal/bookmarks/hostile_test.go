package bookmarks_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"waymark/internal/bookmarks"
	"waymark/internal/waymark"
)

// outcome is what reading a file gave.
type outcome struct {
	count     int
	last      bookmarks.Bookmark
	rowErrors []string
	err       error
}

func read(r io.Reader, limits bookmarks.Limits) outcome {
	var o outcome
	reader, err := bookmarks.Open(r, limits)
	if err != nil {
		return outcome{err: err}
	}
	for b, err := range reader.All() {
		rowErr := new(bookmarks.RowError)
		switch {
		case errors.As(err, &rowErr):
			o.rowErrors = append(o.rowErrors, err.Error())
		case err != nil:
			o.err = err
		case b.IsFolder():
		default:
			o.count++
			o.last = b
		}
	}
	return o
}

// stream returns a reader of head, then n times body with its number, then tail. It hides
// that the parts can seek.
func stream(head string, n int, body func(i int) string, tail string) io.Reader {
	i := -2
	var rest []byte
	return readerFunc(func(p []byte) (int, error) {
		for len(rest) == 0 {
			i++
			switch {
			case i < 0:
				rest = []byte(head)
			case i < n:
				rest = []byte(body(i))
			case i == n:
				rest = []byte(tail)
			default:
				return 0, io.EOF
			}
		}
		copied := copy(p, rest)
		rest = rest[copied:]
		return copied, nil
	})
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func same(text string) func(int) string { return func(int) string { return text } }

// hostileFiles are files of about 4 MB, with what has to be read of them with a limit of
// 64 KiB for each value.
func hostileFiles() map[string]struct {
	file io.Reader
	want string
} {
	part := strings.Repeat("x", 1<<16)
	html := func(before string, n int, body string, after string) io.Reader {
		return stream("<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL>\n"+before, n, same(body), after+"\n<DT><A HREF=\"https://example.com/last\">Last</A>\n</DL>")
	}
	jsonList := func(before string, n int, body string, after string) io.Reader {
		return stream("[{\"url\":\"https://example.com/first\"},\n"+before, n, same(body), after+"\n{\"url\":\"https://example.com/last\"}]")
	}
	return map[string]struct {
		file io.Reader
		want string
	}{
		"only NUL":         {stream("", 64, same(strings.Repeat("\x00", 1<<16)), ""), "0 read, error: the first 65536 bytes of the file are only white space"},
		"only white space": {stream("", 64, same(strings.Repeat(" \n", 1<<15)), ""), "0 read, error: the first 65536 bytes of the file are only white space"},
		"only letters":     {stream("", 64, same(part), ""), `0 read, error: unknown format: the file begins with "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx": use HTML, CSV, JSON, OPML or a list of URLs`},

		"HTML with an endless URL":         {html("<DT><A HREF=\"https://example.com/", 64, part, `">Long</A>`), "1 read, line 3: the tag of a bookmark lacks a quotation mark, or the file ends in it: it cannot be read"},
		"HTML with an endless title":       {html("<DT><A HREF=\"https://example.com/\">", 64, part, "</A>"), `1 read, line 3: the title or the description of "https://example.com/" is longer than 262144 bytes`},
		"HTML with an endless description": {html("<DT><A HREF=\"https://example.com/\">T</A><DD>", 64, part, ""), `1 read, line 3: the title or the description of "https://example.com/" is longer than 262144 bytes`},
		"HTML with an endless icon":        {html("<DT><A HREF=\"https://example.com/\" ICON=\"data:", 64, part, `">T</A>`), "1 read, line 3: the tag of a bookmark lacks a quotation mark, or the file ends in it: it cannot be read"},
		"HTML with an endless comment":     {html("<!--", 64, part, "-->"), "1 read, line 3: a comment does not end before the next bookmark: what follows it is read"},
		"HTML with very many folders":      {html("", 5e4, "<DT><H3>Folder</H3>\n<DL><p>\n", ""), "1 read"},
		"HTML with very many end tags":     {html("", 5e4, "</DL></H3></A></DD>\n", ""), "1 read"},
		"HTML with very many attributes":   {html("<DT><A HREF=\"https://example.com/\" ", 1e5, "a=b ", ">T</A>"), "2 read"},
		"HTML with very many icons":        {html("<DT><A HREF=\"https://example.com/\" ", 5e4, `i="data:image/svg+xml,<svg "y`, ">T</A>"), "0 read, error: line 3: this part of the file is longer than 1048576 bytes: the 1 URLs after it are not read"},
		"HTML with a long name of folders": {html("", 50, "<DT><H3>"+part[:6_000]+"</H3>\n<DL><p>\n", ""), "1 read"},

		"JSON with an endless text":      {jsonList(`{"url":"https://example.com/x","content":"`, 64, part, `"},`), "2 read, error: line 2: a value is longer than 1048576 bytes: the 1 URLs after it are not read"},
		"JSON with an endless number":    {jsonList(`{"url":"https://example.com/x","id":`, 64, strings.Repeat("1", 1<<16), `},`), "2 read, error: line 2: a value is longer than 1048576 bytes: the 1 URLs after it are not read"},
		"JSON with endless white space":  {jsonList("", 64, strings.Repeat(" \n", 1<<15), ""), "1 read, error: line 1: a value is longer than 1048576 bytes: the 1 URLs after it are not read"},
		"JSON with very many arrays":     {jsonList(`{"url":"https://example.com/x","tags":`, 5e4, "[", ""), "2 read, error: line 2: exceeded max depth: the 1 URLs after it are not read"},
		"JSON with very many tags":       {jsonList(`{"url":"https://example.com/x","tags":["a"`, 5e4, `,"abcdefgh"`, `]},`), `2 read, line 2: the bookmark "https://example.com/x" is longer than 262144 bytes`},
		"JSON with very many keys":       {jsonList(`{"url":"https://example.com/x"`, 5e4, `,"abcdefgh":"x"`, `},`), `3 read, line 3: not used: abcdefgh`},
		"JSON that is cut":               {stream(`[{"url":"https://example.com/"},`, 1, same("\n{\"url\":\"https"), ""), `1 read, line 2: the bookmark "" has no URL, error: line 2: the file ends inside a value: it seems to be truncated`},
		"JSON with very many folders":    {stream(`{"title":"","children":[`, 5e4, same(`{"title":"Folder","children":[`), ""), "0 read, error: line 1: exceeded max depth"},
		"JSON with many lists":           {stream(`{"lists":[{}`, 2e4+1, func(i int) string { return fmt.Sprintf(`,{"id":"%d"}`, i) }, "]}"), "0 read, error: the file has more than 20000 lists"},
		"JSON without bookmarks":         {stream(`{"a":[`, 1, same("1,2,3"), "]}"), "0 read, error: the JSON has no bookmarks in a form that Waymark knows"},
		"JSON with a circle of lists":    {stream(`{"lists":[{"id":"a","name":"A","parentId":"b"},{"id":"b","name":"B","parentId":"a"}],"bookmarks":[`, 1, same(`{"url":"https://example.com/last","lists":["a"]}`), "]}"), "1 read"},
		"JSON with a nameless circle":    {stream(`{"lists":[{"id":"a","parentId":"a"}],"bookmarks":[`, 1, same(`{"url":"https://example.com/last","lists":["a"]}`), "]}"), "1 read"},
		"JSON with very many lists":      {stream(`{"lists":[{"id":"b","name":"B"},{"id":"a","parentId":"b","name":"`+part[:1<<15]+`"}],"bookmarks":[{"url":"https://example.com/x","lists":["a"`, 3e3, same(`,"a"`), `]},{"url":"https://example.com/last","lists":["a"]}]}`), "2 read"},
		"JSON with a folder in a folder": {stream(`{"children":[`, 150, same(`{"title":"F","children":[`), `{"uri":"https://example.com/last"}`+strings.Repeat("]}", 150)+"]}"), "1 read"},

		"CSV with an endless cell":       {stream("url,title\nhttps://example.com/,ok\nhttps://example.com/2,\"", 64, same(part), "\"\nhttps://example.com/last,ok\n"), "1 read, error: line 3: the row after it is longer than 1048576 bytes: the 1 URLs in the rest of the file are not read"},
		"CSV with an open quote":         {stream("url,title\nhttps://example.com/1,ok\nhttps://example.com/2,\"", 9, same("x\nhttps://example.com/last,"), "\n"), "11 read, line 3: a closing quote seems to be missing: only the 9 lines after it that have all cells are read"},
		"CSV with very many cells":       {stream("url,title\nhttps://example.com/,", 3e5, same("x,"), "\nhttps://example.com/last,ok\n"), "1 read, line 2: the row has 300002 cells and the header has 2: a cell with a separator seems to lack quotes"},
		"CSV with an endless header":     {stream("url,", 64, same(part), "\n"), "0 read"},
		"OPML with an endless text":      {stream("<opml><body><outline url=\"https://example.com/", 64, same(part), "\"/>\n<outline url=\"https://example.com/last\"/></body></opml>"), "1 read, line 1: the tag of a bookmark lacks a quotation mark, or the file ends in it: it cannot be read"},
		"XBEL without ends of bookmarks": {stream("<xbel>", 1e5, same("<bookmark href=\"https://example.com/last\">\n"), ""), "100000 read"},
		"OPML with very many folders":    {stream("<opml><body>", 5e4, same("<outline text=\"Folder\">\n"), "<outline url=\"https://example.com/last\"/>"), "1 read"},
		"a list with an endless line":    {stream("https://example.com/\nhttps://example.com/", 64, same(part), "\nhttps://example.com/last\n"), "2 read, line 2: the line is longer than 65536 bytes"},
	}
}

func (o outcome) String() string {
	text := fmt.Sprintf("%d read", o.count)
	if len(o.rowErrors) > 3 {
		text += fmt.Sprintf(", %d row errors", len(o.rowErrors))
	} else if len(o.rowErrors) > 0 {
		text += ", " + strings.Join(o.rowErrors, ", ")
	}
	if o.err != nil {
		text += ", error: " + o.err.Error()
	}
	return text
}

func TestHostileFilesNeedLittleMemory(t *testing.T) {
	for name, c := range hostileFiles() {
		t.Run(name, func(t *testing.T) {
			peak := measurePeak(t)
			got := read(peak.watch(c.file), bookmarks.Limits{Value: 64 << 10, Bookmark: 256 << 10})
			if got.String() != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if got.count > 0 && got.err == nil && got.last.URL != "https://example.com/last" {
				t.Errorf("the last bookmark is %.100q, want https://example.com/last", got.last.URL)
			}
			if limit := uint64(5 << 20); peak.bytes > limit {
				t.Errorf("the heap grew by %d bytes, want at most %d", peak.bytes, limit)
			}
		})
	}
}

// heapPeak measures the growth of the heap while a file is read.
type heapPeak struct {
	t     *testing.T
	start uint64
	bytes uint64
}

func measurePeak(t *testing.T) *heapPeak {
	runtime.GC()
	return &heapPeak{t: t, start: heap()}
}

// heap returns the memory of live and of dead objects.
func heap() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// watch measures the live objects each time that some megabytes were read.
func (p *heapPeak) watch(r io.Reader) io.Reader {
	read := 0
	return readerFunc(func(b []byte) (int, error) {
		n, err := r.Read(b)
		if read += n; read > 1<<20 {
			read = 0
			runtime.GC()
			if now := heap(); now > p.start {
				p.bytes = max(p.bytes, now-p.start)
			}
		}
		return n, err
	})
}

func TestManyPartsNeedTimeInProportionToTheFile(t *testing.T) {
	const parts = 10_000
	rawURL := "https://a.example/" + strings.Repeat("(x)", parts)
	for file, want := range map[string]bookmarks.Bookmark{
		`<DL><DT><A HREF="https://a.example/">a</A><DD>a` + strings.Repeat("[linkding-notes]n[/linkding-notes]", parts): {URL: "https://a.example/", Title: "a", Notes: make([]bookmarks.Note, parts)},
		"[title](" + rawURL + ")\n": {URL: rawURL, Title: "title"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got := read(strings.NewReader(file), bookmarks.Limits{}).last
		runtime.ReadMemStats(&after)
		if got.URL != want.URL || got.Title != want.Title || len(got.Notes) != len(want.Notes) {
			t.Errorf("%.60q: got %.100q, %q and %d notes", file, got.URL, got.Title, len(got.Notes))
		}
		if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 100*uint64(len(file)) {
			t.Errorf("%.60q: allocated %d bytes for %d", file, allocated, len(file))
		}
	}
}

func TestCompressedBombsEnd(t *testing.T) {
	bomb := func(megabytes int) io.Reader {
		var file bytes.Buffer
		packed := gzip.NewWriter(&file)
		if _, err := io.Copy(packed, stream("https://example.com/\n", megabytes, same(strings.Repeat(strings.Repeat("#", 1023)+"\n", 1024)), "")); err != nil {
			t.Fatal(err)
		}
		check(t, packed.Close())
		return &file
	}
	for _, c := range []struct {
		megabytes int
		limit     int64
		want      string
	}{
		{5, 0, "1 read"},
		{5, 5<<20 + 21, "1 read"}, // exactly its size
		{5, 5<<20 + 20, "the unpacked file is longer than 5242900 bytes"},
		{5, 4 << 20, "the unpacked file is longer than 4194304 bytes"},
		{50, 0, "the unpacked file is more than 200 times longer than the compressed one"},
	} {
		if got := read(bomb(c.megabytes), bookmarks.Limits{Unpacked: c.limit}); !strings.HasSuffix(got.String(), c.want) {
			t.Errorf("%d MB with the limit %d: got %s, want %s", c.megabytes, c.limit, got, c.want)
		}
	}
}

func TestFilesThatCannotBeReadAreNamed(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "the file is empty",
		" \n\t":                          "the file has only white space",
		"Hello":                          `unknown format: the file begins with "Hello": use HTML, CSV, JSON, OPML or a list of URLs`,
		"<html><body>Hello":              `unknown format: the file begins with "<html><body>Hello": use HTML, CSV, JSON, OPML or a list of URLs`,
		"// x\n[{\"url\":\"http://x\"}]": `unknown format: the file begins with "// x\n[{\"url\":\"http://x\"}]": use HTML, CSV, JSON, OPML or a list of URLs`,
		"name,age\nx,3\n":                `unknown format: the file begins with "name,age\nx,3\n": use HTML, CSV, JSON, OPML or a list of URLs`,
		"PK\x03\x04":                     "the file is a ZIP archive: unpack it and import the files in it",
		"mozLz40\x00":                    "the file is a compressed backup of Firefox (jsonlz4): in the library of Firefox, restore it and make a new file with Import and Backup, Backup… (JSON) or Export Bookmarks to HTML…",
		"SQLite format 3\x00":            "the file is an SQLite database: export the bookmarks as a file in the program that wrote it",
		"\x1f\x8b":                       "unpack with gzip: unexpected EOF",
	} {
		if got := read(strings.NewReader(text), bookmarks.Limits{}); got.err == nil || got.err.Error() != want {
			t.Errorf("%q: got %v, want %s", text, got.err, want)
		}
	}
}

func TestDamagedCompressedFilesAreNamed(t *testing.T) {
	var file bytes.Buffer
	packed := gzip.NewWriter(&file)
	for i := range 50_000 {
		fmt.Fprintf(packed, "https://example.com/%d\n", i)
	}
	check(t, packed.Close())
	got := read(bytes.NewReader(file.Bytes()[:file.Len()/2]), bookmarks.Limits{})
	if want := "the compressed file ends early: it seems to be truncated"; got.count < 1000 || got.err == nil || !strings.HasSuffix(got.err.Error(), want) {
		t.Errorf("truncated: got %s, want many bookmarks and %s", got, want)
	}
	damaged := bytes.Clone(file.Bytes())
	copy(damaged[len(damaged)/2:], "damaged")
	got = read(bytes.NewReader(damaged), bookmarks.Limits{})
	if want := "unpack with gzip: "; got.err == nil || !strings.Contains(got.err.Error(), want) {
		t.Errorf("damaged: got %s, want %s", got, want)
	}
}

func TestNumbersAndTextsAreDates(t *testing.T) {
	const want = "2023-11-14T22:13:20.000000Z"
	for _, text := range []string{"1700000000", "1700000000.5", "1.7E9", "1700000000000", "1700000000000000", "13344473600000000",
		"2023-11-14T22:13:20Z", "2023-11-14T22:13:20.000Z", "2023-11-14T23:13:20+01:00", "2023-11-14T23:13:20+0100",
		"2023-11-14 22:13:20", "2023-11-14 22:13:20 +0000 UTC", "Tue, 14 Nov 2023 22:13:20 +0000", "Tue, 14 Nov 2023 22:13:20 GMT",
		"2023-11-14T22:13:20", "2023-11-14 22:13:20+00", "2023-11-14 23:13:20.000+01", "2023-11-14 22:13:20 UTC", "2023-11-14 23:13:20 +0100",
		"14.11.2023 22:13:20", "20231114T221320Z", "20231114T221320", "Tue, 14 Nov 2023 17:13:20 EST", "Tue, 14 Nov 2023 15:13:20 PDT",
		"Nov 14, 2023 10:13:20 PM", "Tuesday, November 14, 2023 at 10:13:20\u202fpm", "14 November 2023 22:13:20", "Tue Nov 14 22:13:20 2023", "11/14/2023, 10:13:20 PM", "14/11/2023 22:13:20", "2023/11/14 22:13:20", "14-Nov-2023 22:13:20", "Nov 14th, 2023 10:13:20 PM UTC",
		"November 14, 2023 at 10:13:20PM", "Nov. 14, 2023 10:13:20 p.m.", "14. 11. 2023 22:13:20", "14-11-2023 22:13:20", "2023.11.14 22:13:20", "2023年11月14日 22:13:20"} {
		got := read(strings.NewReader("url,created\nhttps://example.com/,\""+text+"\"\n"), bookmarks.Limits{})
		if got.last.CreatedAt.String() != want {
			t.Errorf("%s: got %s, want %s", text, got.last.CreatedAt, want)
		}
	}
	for text, want := range map[string]string{
		"2023-11-14":             "2023-11-14T00:00:00.000000Z",
		"20231114":               "2023-11-14T00:00:00.000000Z",
		"2023-11-14T22:13":       "2023-11-14T22:13:00.000000Z",
		"2023-11-14T23:13+01:00": "2023-11-14T22:13:00.000000Z",
		"20000000":               "1970-08-20T11:33:20.000000Z", // seconds
		"31840301":               "1971-01-04T12:31:41.000000Z", // seconds
		"253402300799":           "9999-12-31T23:59:59.000000Z", // seconds
		"253402300799000":        "9999-12-31T23:59:59.000000Z", // milliseconds
	} {
		got := read(strings.NewReader("url,created\nhttps://example.com/,"+text+"\n"), bookmarks.Limits{})
		if got.last.CreatedAt.String() != want {
			t.Errorf("%s: got %s, want %s", text, got.last.CreatedAt, want)
		}
	}
	for _, text := range []string{"0", "-1", "x", "NaN", "1e300", "04/11/2023", "04-11-2023", "13/13/2023", "2023", "45244.9", "9999999999999999999", "1601-01-01"} {
		got := read(strings.NewReader("url,created\nhttps://example.com/,"+text+"\n"), bookmarks.Limits{})
		if got.count != 1 || got.last.CreatedAt != 0 {
			t.Errorf("%s: got %s with %s, want no date", text, got, got.last.CreatedAt)
		}
		once := func() { read(strings.NewReader("url,created\nhttps://example.com/,"+text+"\n"), bookmarks.Limits{}) }
		if allocations := testing.AllocsPerRun(1, once); allocations > 1000 { // all forms are 5,000
			t.Errorf("%s: %v allocations, want at most 1000", text, allocations)
		}
	}
}

func TestVisibilityTakesPrecedenceOverIsPrivate(t *testing.T) {
	for row, want := range map[string]waymark.Visibility{
		"internal,false": waymark.Internal, "internal,f": waymark.Internal, "private,0": waymark.Private,
		",true": waymark.Private, ",t": waymark.Private, ",false": waymark.Public, ",f": waymark.Public, ",": 0,
	} {
		got := read(strings.NewReader("url,visibility,is_private,deleted\nhttps://example.com/,"+row+",f\n"), bookmarks.Limits{})
		if got.count != 1 || got.last.Visibility != want || got.last.Deleted {
			t.Errorf("%s: got %s with the visibility %d, deleted %t, want %d", row, got, got.last.Visibility, got.last.Deleted, want)
		}
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
