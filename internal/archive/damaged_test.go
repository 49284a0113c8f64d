package archive_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"waymark/internal/archive"
	"waymark/internal/waymark"
)

func TestDamagedLinesAreReportedAndTheRestIsRead(t *testing.T) {
	const link = `{"type":"link","number":1,"url":"https://a.example"}` + "\n"
	const list = `{"type":"list","number":1,"name":"a"}` + "\n"
	for name, test := range map[string]struct {
		text     string
		entities int
		rows     []string
	}{
		"list that does not exist": {list + `{"type":"link","number":1,"url":"https://a.example","lists":[1,2]}`, 2, []string{"line 3: the archive has no list 2"}},
		"tag that does not exist":  {`{"type":"link","number":1,"url":"https://a.example","tags":[1]}`, 1, []string{"line 2: the archive has no tag 1"}},
		"number twice":             {list + list + link, 2, []string{"line 3: the number 1 is not greater than the previous number, 1"}},
		"link number twice":        {link + link, 1, []string{"line 3: the number 1 is not greater than the previous number, 1"}},
		"no number":                {`{"type":"tag","name":"a"}`, 0, []string{"line 2: the number is 0: it must be greater than 0"}},
		"note before its link":     {`{"type":"note","link":1,"text":"a"}` + "\n" + link, 1, []string{"line 2: the note belongs to link 1, which is not the link before it"}},
		"list after a link": {link + list, 1, []string{
			"line 3: a line of type list is not allowed here: the order is settings, lists, tags, links, each followed by its snapshot, full snapshot, attachments with their data, and notes, notes on links of others, saved searches, bundles, what is kept apart",
		}},
		"settings twice": {`{"type":"settings"}` + "\n" + `{"type":"settings"}`, 1, []string{
			"line 3: a line of type settings is not allowed here: the order is settings, lists, tags, links, each followed by its snapshot, full snapshot, attachments with their data, and notes, notes on links of others, saved searches, bundles, what is kept apart",
		}},
		"no JSON":    {"hello\n" + link, 1, []string{"line 2: the line is not a JSON object: invalid character 'h' looking for beginning of value"}},
		"an array":   {"[1]\n" + link, 1, []string{`line 2: the line is not a JSON object but of the type array`}},
		"two values": {`{"type":"tag"} {"type":"tag"}` + "\n" + link, 1, []string{"line 2: the line is not a JSON object: invalid character '{' after top-level value"}},
		"wrong type": {`{"type":"link","number":1,"url":7}`, 0, []string{`line 2: the field "url" cannot be of the type number`}},
		"wrong time": {`{"type":"tag","number":1,"name":"a","created_at":"yesterday"}`, 0, []string{`line 2: invalid time "yesterday": use the form 2020-03-09T19:33:23.000000Z`}},
		"year in UTC too large": {`{"type":"tag","number":1,"name":"a","created_at":"9999-12-31T23:59:59-05:00"}`, 0, []string{
			`line 2: invalid time "9999-12-31T23:59:59-05:00": the year 10000 of a time is not between 0 and 9999`,
		}},
		"wrong visibility": {`{"type":"tag","number":1,"name":"a","visibility":"secret"}`, 0, []string{`line 2: invalid visibility "secret": use public, internal or private`}},
		"wrong status":     {`{"type":"link","number":1,"url":"https://a.example","status":"gone"}`, 0, []string{`line 2: invalid status "gone": use ok, moved or broken`}},
		"no type":          {"{}\n" + link, 1, []string{"line 2: the line has no type"}},
		"unknown type": {`{"type":"picture","link":1}` + "\n" + `{"type":"picture"}` + "\n" + link, 1, []string{
			`line 2: the type "picture" is not known to this version of Waymark: lines of this type are skipped`,
		}},
		"unknown fields": {`{"type":"tag","number":1,"name":"a","colour":"red"}` + "\n" + `{"type":"tag","number":2,"name":"b","shape":"round"}`, 2, []string{
			`line 2: fields of the type tag are not known to this version of Waymark, such as "colour": they are left out`,
		}},
		"unknown nested field": {`{"type":"settings","default_visibility":{"links":"private","colour":"red"},"shape":"round"}`, 1, []string{
			`line 2: fields of the type settings are not known to this version of Waymark, such as "colour": they are left out`,
		}},
		"empty lines":     {"\n\r\n" + link, 1, nil},
		"line too long":   {`{"type":"note","text":"` + strings.Repeat("a", archive.MaxLine) + `"}` + "\n" + link, 1, []string{"line 2: the line is longer than 8388608 bytes"}},
		"deeply nested":   {strings.Repeat("[", 1_000_000) + "\n" + link, 1, []string{"line 2: the line is not a JSON object: invalid character '[' exceeded max depth"}},
		"different count": {link + `{"type":"end","entities":5}`, 1, []string{"line 3: the archive should have 5 entities, but has 1"}},
	} {
		t.Run(name, func(t *testing.T) {
			file := head + strings.TrimSuffix(test.text, "\n")
			if !strings.Contains(file, `"end"`) {
				lines := 0
				for line := range strings.Lines(strings.TrimPrefix(file, head)) {
					if strings.TrimSpace(line) != "" {
						lines++
					}
				}
				file += fmt.Sprintf("\n{\"type\":\"end\",\"entities\":%d}\n", lines)
			}
			entities, rows, err := readAll(strings.NewReader(file))
			if err != nil || len(entities) != test.entities || !slices.Equal(rows, test.rows) {
				t.Errorf("got %d entities, %q, %v\nwant %d, %q", len(entities), rows, err, test.entities, test.rows)
			}
		})
	}
}

func TestArchiveThatEndsTooEarlyIsIncomplete(t *testing.T) {
	text := example(t)
	last := strings.LastIndex(strings.TrimSpace(text), "\n")
	for end := len(head); end < last; end += 3 {
		if _, _, err := readAll(strings.NewReader(text[:end])); !errors.Is(err, archive.ErrIncomplete) {
			t.Fatalf("the first %d bytes: got %v, want %v", end, err, archive.ErrIncomplete)
		}
	}
}

func TestTextAfterTheEndIsReported(t *testing.T) {
	text := example(t)
	_, rows, err := readAll(strings.NewReader(text + text))
	want := []string{"line 18: the archive has ended before this line: what follows was not read"}
	if !slices.Equal(rows, want) || err != nil {
		t.Errorf("two archives: got %v, %v, want %v", rows, err, want)
	}
}

func TestOtherFilesAreNoArchive(t *testing.T) {
	for _, text := range []string{"", "{}", "\x00", "<!DOCTYPE NETSCAPE-Bookmark-file-1>", `{"format":"other","version":1}`, strings.Repeat("a", archive.MaxLine+3)} {
		if _, _, err := readAll(strings.NewReader(text)); !errors.Is(err, archive.ErrFormat) {
			t.Errorf("%.40q: got %v, want %v", text, err, archive.ErrFormat)
		}
	}
	_, _, err := readAll(strings.NewReader(`{"format":"waymark-archive","version":2}`))
	if !errors.Is(err, archive.ErrFormat) || !strings.Contains(err.Error(), "the archive has version 2") {
		t.Errorf("version 2: got %v", err)
	}
}

// endless is a line that never ends. It counts what was read.
type endless struct{ read, limit int }

func (e *endless) Read(p []byte) (int, error) {
	if e.read >= e.limit {
		return 0, io.EOF
	}
	for i := range p {
		p[i] = 'a'
	}
	e.read += len(p)
	return len(p), nil
}

func TestEndlessLineTakesBoundedMemory(t *testing.T) {
	line := &endless{limit: 64 << 20}
	allocated := testing.AllocsPerRun(1, func() {
		line.read = 0
		if _, rows, err := readAll(io.MultiReader(strings.NewReader(head), line)); !errors.Is(err, archive.ErrIncomplete) || len(rows) != 1 {
			t.Errorf("got %v, %v", rows, err)
		}
	})
	if allocated > 200 {
		t.Errorf("got %v allocations for a line of %d bytes, want at most 200", allocated, line.limit)
	}
}

func TestWriterRefusesValuesThatItCannotExpress(t *testing.T) {
	for name, e := range map[string]archive.Entity{
		"year 10000": archive.SavedSearch{CreatedAt: 253402300800000000},
		"visibility": archive.List{Number: 1, Visibility: 4},
		"status":     archive.Link{Number: 1, Status: archive.Status(waymark.StatusBroken + 1)},
	} {
		w := archive.NewWriter(io.Discard)
		if w.Write(e); w.Err() == nil || !errors.Is(w.Close(), w.Err()) {
			t.Errorf("%s: got %v, then %v from Close, want the same error", name, w.Err(), w.Close())
		}
	}
}
