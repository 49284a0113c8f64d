package bookmarks_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"waymark/internal/bookmarks"
)

// readAll returns the bookmarks of a file, and its errors, as short texts.
func readAll(t *testing.T, file string) (found []string) {
	t.Helper()
	reader, err := bookmarks.Open(strings.NewReader(file), bookmarks.Limits{})
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	for b, err := range reader.All() {
		if err != nil {
			found = append(found, err.Error())
			continue
		}
		text := b.URL + " " + b.Title
		for _, part := range [][2]string{{"description", b.Description}, {"tags", strings.Join(b.Tags, "|")}, {"folders", strings.Trim(fmt.Sprintf("%q", b.Folders), "[]")}} {
			if part[1] != "" {
				text += "; " + part[0] + ": " + part[1]
			}
		}
		for _, note := range b.Notes {
			text += "; note: " + note.Text
		}
		found = append(found, text)
	}
	return found
}

// want compares the bookmarks of a file.
func want(t *testing.T, file string, lines ...string) {
	t.Helper()
	if got := readAll(t, file); !slices.Equal(got, lines) {
		t.Errorf("%s\ngot  %q\nwant %q", file, got, lines)
	}
}

func TestTablesOfAsciiDocAreRead(t *testing.T) {
	want(t, "|===\n| Title\n| URL\n| Tags\n\n| One\n| https://a.example/1\n| go, web\n\n| Two\n| https://a.example/2[Text]\n|x\n|===\n* https://a.example/3[Three]",
		"https://a.example/1 One; description: go, web", "https://a.example/2 Text; description: Two, x", "https://a.example/3 Three")
	want(t, "|===\n|Title |URL\n|One\n|https://a.example/1\n|Two\nand more\n|https://a.example/2\n|===",
		"https://a.example/1 One", "https://a.example/2 Two and more")
	want(t, "https://a.example/0\n|===\n|A\n|https://a.example/1\n|nothing\n\n|here\n|===", "https://a.example/0 ", "https://a.example/1 A; description: nothing", "line 7: no URL in \"here\"")
}

func TestYAMLIsRefused(t *testing.T) {
	for _, file := range []string{
		"- url: https://a.example/1\n  title: One\n",
		"bookmarks:\n  Reading:\n    - name: One\r\n      href: \"https://a.example/1\"\r\n",
		"---\n- title: 'One'\n  tags:\n    - a\n  url: 'https://a.example/1'\n",
	} {
		_, err := bookmarks.Open(strings.NewReader(file), bookmarks.Limits{})
		if format, ok := errors.AsType[*bookmarks.FormatError](err); !ok || format.Kind != bookmarks.KindYAML {
			t.Errorf("%q: got error %v, want one about YAML", file, err)
		}
	}
	want(t, "url: https://a.example/1\nurl: https://a.example/2", "https://a.example/1 ", "https://a.example/2 ")
	want(t, "---\ntitle: Links\nurl: https://a.example/0\n---\n- [One](https://a.example/1)", `line 2: no URL in "title: Links"`, "https://a.example/0 ", "https://a.example/1 One")
}

func TestNamesInQuotationMarks(t *testing.T) {
	want(t, `<DL><DT><A HREF="https://a.example/1" TAGS="a,&quot;b, c&quot;, &quot;d &quot;&quot;e&quot;&quot;&quot;,5&quot;">One</A><DT><A HREF="https://a.example/2" TAGS='"x,y'>Two</A></DL>`,
		`https://a.example/1 One; tags: a|b c|d "e"|5"`, `https://a.example/2 Two; tags: "x|y`)
	want(t, "url,tags\nhttps://a.example/1,\"go \"\"two words\"\" web\"\n", "https://a.example/1 ; tags: go|two words|web")
}

func TestRareMarkupInBookmarks(t *testing.T) {
	want(t, `<DL><DT><A HREF="https://a.example/1" ICON="data:image/svg+xml;utf8,<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/></svg>" TAGS="a">One</A>
<DT><A HREF="https://a.example/2" ICON="data:image/svg+xml,<svg xmlns="x">" TAGS="b">Two</A>
<DT><A HREF="https://a.example/3"><![CDATA[a <b> c]]></A><DD><![CDATA[d & e]]>
<DT><A HREF="https://a.example/4"><![CDATA[open</A></DL>`,
		"https://a.example/1 One; tags: a", "https://a.example/2 Two; tags: b", "https://a.example/3 a <b> c; description: d & e", "https://a.example/4 <![CDATA[open")
}

func TestQuotationMarksInValuesAreText(t *testing.T) {
	want(t, bookmarkFile(`<DT><A HREF="https://b.example/?q="one two"&x=1" TAGS="say "hi" to all,b" ADD_DATE="1">B</A>
<DT><A HREF='https://c.example/it's' TAGS='5" disk'>C</A>
<DT><A HREF="https://d.example/" ICON="data:image/svg+xml,<svg viewBox="0 0 1 1"><text y="1">x</text>" TAGS="d">D</A>
<DT><A HREF="https://e.example/" ICON="data:image/svg+xml,<svg x="1"><g/>">E</A>
<DT><A HREF="https://f.example/">if a<b && c>d</A><DD>an <b class="open quote`),
		"https://a.example/ Before", `https://b.example/?q="one two"&x=1 B; tags: say "hi" to all|b`, `https://c.example/it's C; tags: 5" disk`,
		"https://d.example/ D; tags: d", "https://e.example/ E", `https://f.example/ if a<b && c>d; description: an <b class="open quote`, "https://z.example/ After")
}

func TestOtherAttributesWithTags(t *testing.T) {
	want(t, `<DL><DT><A HREF="https://a.example/" LABELS="x,y">A</A></DL>`, "https://a.example/ A; tags: x|y")
}

func TestXMLOfOtherProgramsIsRefused(t *testing.T) {
	for _, file := range []string{
		`<?xml version="1.0"?><!-- <a> --><rss version="2.0"><channel><item><link>https://a.example/</link><description><![CDATA[<a href="https://b.example/">b</a>]]></description></item></channel></rss>`,
		`<feed xmlns="http://www.w3.org/2005/Atom"><entry><content><a href="https://b.example/">b</a></content></entry></feed>`,
		"<?xml version=\"1.0\"?>\n<!DOCTYPE xbel>\n<xbel version=\"1.0\"><bookmark href=\"https://a.example/\"><desc><a href=\"x\"></desc></bookmark></xbel>",
	} {
		if _, err := bookmarks.Open(strings.NewReader(file), bookmarks.Limits{}); err == nil || !strings.Contains(err.Error(), "unknown format") {
			t.Errorf("%s: got %v, want an error", file, err)
		}
	}
}

func TestShapesOfJSON(t *testing.T) {
	want(t, `{"Dev":{"Go":"https://a.example/go","Sub":{"Rust":"https://a.example/rust"}},"News":[["HN","https://a.example/hn"]]}`,
		`https://a.example/rust Rust; folders: "Dev" "Sub"`, `https://a.example/go Go; folders: "Dev"`, `https://a.example/hn HN; folders: "News"`)
	want(t, `{"https://a.example/1":{"title":"One"},"https://a.example/2":"Two","https://a.example/3":null}`,
		"https://a.example/1 One", "https://a.example/2 Two", "https://a.example/3 ")
	want(t, `{"next":"https://a.example/?page=2","results":[{"url":"https://read.readwise.io/read/x","source_url":"https://a.example/1","highlights":[{"content":"marked","note":"why"},{"text":"alone"}]}]}`,
		"https://a.example/1 ; note: > marked\n\nwhy; note: alone")
	want(t, `[["One","https://a.example/1"],["https://a.example/2","Two",["x"]]]`, "https://a.example/1 One", "https://a.example/2 Two")
	want(t, `[{"url":"https://a.example/1","folder":["Work","Home"]}]`, `https://a.example/1 ; folders: "Work"] ["Home"`)
}

func TestBookmarksInSeveralObjects(t *testing.T) {
	want(t, `[{"id":"user/1","items":[{"title":"One","published":1,"canonical":[{"href":"https://a.example/1"}],"alternate":[{"href":"https://a.example/1","type":"text/html"}],"origin":{"title":"Blog"}}]}]`,
		"https://a.example/1 One", "line 1: not used: published, origin")
	want(t, `[{"bookmark":{"url":"https://a.example/1","title":"One"},"tags":["x"],"folder":"F"},{"kind":"tab","data":{"attributes":{"url":"https://a.example/2","title":"Two"}}}]`,
		`https://a.example/1 One; tags: x; folders: "F"`, "https://a.example/2 Two", "line 1: not used: kind")
	want(t, `[{"url":["https://a.example/1"],"title":["One"],"tags":["x"]},{"link":{"url":"https://a.example/2","text":"Two"},"note":"n"}]`,
		"https://a.example/1 One; tags: x", "https://a.example/2 Two; note: n")
	want(t, `{"links":["[One](https://a.example/1)","https://a.example/2 Two","Three: https://a.example/3"]}`,
		"https://a.example/1 One", "https://a.example/2 Two", "https://a.example/3 Three")
}

func TestValuesThatAreNotUsedAreNamed(t *testing.T) {
	want(t, `{"lists":[{"title":"Work","labels":["a"],"cards":[{"url":"https://a.example/1","title":"One"}]}]}`,
		`https://a.example/1 One; folders: "Work"`, "line 1: not used: labels")
	want(t, `{"a":["https://a.example/1"],"b":[{"t":"Two","u":"https://a.example/2"}]}`, `https://a.example/1 ; folders: "a"`, "line 1: not used: t, u")
	want(t, `[{"url":"https://a.example/1","title":"One","content":"text","tags":{"edges":[{"node":{"name":"x"}}]},"state":"Done"},{"url":"https://a.example/2","state":"Active"}]`,
		"https://a.example/1 One", "https://a.example/2 ", "line 1: not used: tags, content, state")
}

func TestURLsInCells(t *testing.T) {
	want(t, "title,url\nOne,<https://a.example/1>\nTwo,[t](https://a.example/2)\n3,https://a.example/3; https://a.example/4\n5,https://a.example/5;\n6,https://a.example/a b.pdf\n7,view-source:https://a.example/7\n",
		"https://a.example/1 One", "https://a.example/2 Two", "https://a.example/3 3", "https://a.example/4 3", "https://a.example/5 5",
		"https://a.example/a b.pdf 6", "view-source:https://a.example/7 7")
	want(t, "https://a.example/1\nhttps://a.example/2,Two\nhttps://a.example/3,Three,x\n", "https://a.example/1 ", "https://a.example/2 Two", "https://a.example/3 Three; tags: x")
	want(t, "url,lists,visibility\n\"https://a.example/\"\"b\",#Work,private\n", `https://a.example/"b ; folders: "#Work"`)
	want(t, "Session,Tab Title,URL\nA,One,https://a.example/1\n", "https://a.example/1 One", "line 2: not used: Session")
}

func TestDatesOfOtherPrograms(t *testing.T) {
	for text, date := range map[string]string{
		"May 7, 2020 3:04 PM": "2020-05-07T15:04:00",
		"7 May 2020":          "2020-05-07T00:00:00",
		"Thu May 07 2020 07:08:09 GMT+0200 (Summer)": "2020-05-07T05:08:09",
		"May 7, 2020, 3:04:05 PM UTC":                "2020-05-07T15:04:05",
	} {
		file := "url,created\nhttps://a.example/1,\"" + text + "\"\n"
		if got := read(strings.NewReader(file), bookmarks.Limits{}).last.CreatedAt.String(); !strings.HasPrefix(got, date) {
			t.Errorf("%s: got %s, want %s", text, got, date)
		}
	}
}

func TestTitlesBeforeATableAndBarsInTitles(t *testing.T) {
	want(t, "Exported by X 1.2\n\nName\tWhere\tTags\nOne\thttps://a.example/1\tgo,web\n", "https://a.example/1 One; tags: go|web")
	want(t, "https://a.example/1 | One: https://b.example/ | more\nhttps://a.example/2 | Two\n", "https://a.example/1 One: https://b.example/ | more", "https://a.example/2 Two")
}

func TestPositionFollowsTheBookmarksThatAreYielded(t *testing.T) {
	var file strings.Builder
	file.WriteString(`{"bookmarks":[`)
	for i := range 5000 {
		fmt.Fprintf(&file, `{"url":"https://a.example/%d","title":"A page with a title of some length"},`, i)
	}
	file.WriteString(`{"url":"https://a.example/"}],"name":"last"}`)
	size := int64(file.Len())
	reader, err := bookmarks.Open(strings.NewReader(file.String()), bookmarks.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	n, last := 0, int64(0)
	for range reader.All() {
		position := reader.Position()
		if n++; position < last || n == 2500 && (position < size*4/10 || position > size*8/10) {
			t.Fatalf("bookmark %d: got position %d after %d of %d", n, position, last, size)
		}
		last = position
	}
	if n != 5001 || last != size {
		t.Errorf("got %d bookmarks and position %d, want 5001 and %d", n, last, size)
	}
}
