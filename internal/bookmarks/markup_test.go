package bookmarks_test

import (
	"fmt"
	"strings"
	"testing"

	"waymark/internal/bookmarks"
)

// summarize returns one line for each bookmark and error of a file.
func summarize(t *testing.T, file string) string {
	t.Helper()
	r, err := bookmarks.Open(strings.NewReader(file), bookmarks.Limits{})
	if err != nil {
		return err.Error()
	}
	var lines []string
	for b, err := range r.All() {
		if err != nil {
			lines = append(lines, err.Error())
			continue
		}
		if b.IsFolder() {
			lines = append(lines, "the folder "+strings.Join(b.Folders[0], " / "))
			continue
		}
		line := fmt.Sprintf("%s %q", strings.TrimPrefix(b.URL, "https://"), b.Title)
		if b.Description != "" {
			line += fmt.Sprintf(" description %q", b.Description)
		}
		for _, path := range b.Folders {
			line += " in " + strings.Join(path, " / ")
		}
		if len(b.Tags) > 0 {
			line += fmt.Sprintf(" tags %q", b.Tags)
		}
		for _, v := range b.Flags.Values() {
			if v.On {
				line += " " + v.Flag.String()
			}
		}
		if b.CreatedAt != 0 {
			line += " " + b.CreatedAt.String()[:10]
		}
		if b.Deleted {
			line += " deleted"
		}
		for _, note := range b.Notes {
			if note.Quote != "" {
				line += fmt.Sprintf(" passage %q", note.Quote)
			}
			if note.Text != "" {
				line += fmt.Sprintf(" note %q", note.Text)
			}
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// fileCase is a file and what is read of it.
type fileCase struct{ name, file, want string }

func checkFiles(t *testing.T, cases []fileCase) {
	t.Helper()
	for _, c := range cases {
		if got := summarize(t, c.file); got != c.want {
			t.Errorf("%s:\n%s\ngot:\n%s\nwant:\n%s", c.name, c.file, got, c.want)
		}
	}
}

// bookmarkFile returns a file in the Netscape format with a bookmark before and after lines.
func bookmarkFile(lines string) string {
	return "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"https://a.example/\">Before</A>\n" + lines +
		"\n<DT><A HREF=\"https://z.example/\">After</A>\n</DL><p>\n"
}

func TestBrokenMarkupCostsAtMostOneBookmark(t *testing.T) {
	var cases []fileCase
	for _, c := range []fileCase{
		{"a comment in a title", `<DT><A HREF="https://b.example/">Why <!-- hides</A>`, "line 4: a comment does not end before the next bookmark: what follows it is read\nb.example/ \"Why <!-- hides\""},
		{"a closed comment", `<!-- my links -->`, ""},
		{"an open quote at the end", `<DT><A HREF="https://b.example/>B</A>`, "line 4: the tag of a bookmark lacks a quotation mark, or the file ends in it: it cannot be read"},
		{"an open single quote", `<DT><A HREF='https://b.example/>B</A>`, "line 4: the tag of a bookmark lacks a quotation mark, or the file ends in it: it cannot be read"},
		{"an open quote before another attribute", `<DT><A HREF="https://b.example/ SHORTCUTURL="b" TAGS="x">B</A>`, "line 4: the tag of a bookmark is broken: parts of it can be missing\nb.example/ \"B\" tags [\"x\"]"},
		{"an open quote of another attribute", `<DT><A HREF="https://b.example/" TAGS="x>B</A>`, "line 4: the tag of a bookmark lacks a quotation mark, or the file ends in it: it cannot be read"},
		{"an open quote between attributes", `<DT><A HREF="https://b.example/ ADD_DATE="1500000000">B</A>`, "line 4: the tag of a bookmark is broken: parts of it can be missing\nb.example/ \"B\""},
		{"a missing first quote", `<DT><A HREF=https://b.example/" ADD_DATE="1500000000">B</A>`, "line 4: the tag of a bookmark is broken: parts of it can be missing\nb.example/ \"B\" 2017-07-14"},
		{"an open quote of a folder", "<DT><H3 ADD_DATE=\"15>Folder</H3>\n<DL><p>\n<DT><A HREF=\"https://b.example/\">B</A>\n</DL>", "line 4: a quotation mark is missing in a tag: it cannot be read\nb.example/ \"B\""},
		{"a tag without its end", `<DT><A HREF="https://b.example/" ADD_DATE="1500000000"`, "line 4: the tag of a bookmark is broken: parts of it can be missing\nb.example/ \"\" 2017-07-14"},
		{"a title without its end", `<DT><A HREF="https://b.example/">B`, `b.example/ "B"`},
		{"a URL that ends with =", `<DT><A HREF="https://b.example/?q=" ADD_DATE="1500000000">B</A>`, `b.example/?q= "B" 2017-07-14`},
		{"markup of other languages", `<DT><A HREF="https://b.example/">a < b, <T>, <?php ?>, <script>, <!DOCTYPE> and <b>bold</b></A>`, `b.example/ "a < b, <T>, <?php ?>, <script>, <!DOCTYPE> and bold"`},
		{"an SVG icon", `<DT><A ICON="data:image/svg+xml,<svg x="1"><text y="1">x</text></svg>" HREF="https://b.example/" TAGS="x">B</A>`, "line 4: the tag of a bookmark is broken: parts of it can be missing\nline 4: the bookmark \"<text y=\\\"1\\\">x</text></svg>\\\" HREF=\\\"https://b.example/\\\" TAGS=\\\"x\\\">B\" has no URL"},
		{"no space after A", `<DT><AHREF="https://b.example/">B</A>`, `line 4: the tag "<AHREF=\"https://b.example/\">" is none of a bookmark: it is not read`},
		{"many attributes", `<DT><A ` + strings.Repeat("a=b ", 100) + ` HREF="https://b.example/" TAGS="x">B</A>`, `b.example/ "B" tags ["x"]`},
		{"quotation marks in values", `<DT><A HREF="https://b.example/?q="one two"&x=1" TAGS="say "hi" to all,b" ADD_DATE="1">B</A>`, "line 4: the tag of a bookmark is broken: parts of it can be missing\nb.example/?q= \"B\" tags [\"say\"]"},
		{"an entity without its end", `<DT><A HREF="https://b.example/?a&copy=1&amp;b">B</A>`, `b.example/?a&copy=1&b "B"`},
		{"a comparison in a title", `<DT><A HREF="https://b.example/">if a<b && c>d</A><DD>an <b class="open quote`, "b.example/ \"if a<b && c>d\" description \"an\"\nline 4: a quotation mark is missing in a tag: it cannot be read"},
		{"other attributes with tags", `<DT><A HREF="https://b.example/" LABELS="x,y">B</A>`, `b.example/ "B" tags ["x" "y"]`},
		{"names in quotation marks", `<DT><A HREF="https://b.example/" TAGS="a,&quot;b, c&quot;, &quot;d &quot;&quot;e&quot;&quot;&quot;">B</A>`, `b.example/ "B" tags ["a" "b c" "d \"e\""]`},
		{"an open quotation mark in names", `<DT><A HREF="https://b.example/" TAGS='"x,y'>B</A>`, `b.example/ "B" tags ["\"x" "y"]`},
		{"a title without its end before a bookmark", `<DT><A HREF="https://b.example/">B <A HREF="https://c.example/">C</A>`, "b.example/ \"B\"\nc.example/ \"C\""},
		{"a link in a title", `<DT><A HREF="https://b.example/">The <a href="x"> element</a> in HTML</A>`, `b.example/ "The <a href=\"x\"> element</a> in HTML"`},
	} {
		want := "a.example/ \"Before\"\n" + c.want + "\nz.example/ \"After\""
		cases = append(cases, fileCase{c.name, bookmarkFile(c.file), strings.ReplaceAll(want, "\n\n", "\n")})
	}
	// What is said about a comment precedes the bookmark that has not ended.
	const before, after = "a.example/ \"Before\"\n", "z.example/ \"After\""
	cases = append(cases,
		fileCase{"bookmarks in a comment", bookmarkFile(`<!-- <DT><A HREF="https://b.example/">B</A> -->`), "line 4: a comment does not end before the next bookmark: what follows it is read\n" + before + "b.example/ \"B\"\n" + after},
		fileCase{"an open comment and a closed one", bookmarkFile("<!-- one\n<DT><A HREF=\"https://b.example/\">B</A>\n<!-- two -->"), "line 4: a comment does not end before the next bookmark: what follows it is read\n" + before + "b.example/ \"B\"\n" + after})
	cases = append(cases, fileCase{"an open quote of a folder in a folder", "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><DT><H3>F</H3><DL>\n<DT><H3 ADD_DATE=\"15>G</H3>\n<DL><p>\n" +
		"<DT><A HREF=\"https://a.example/\">A</A>\n</DL>\n<DT><A HREF=\"https://b.example/\">B</A></DL></DL>",
		"line 3: a quotation mark is missing in a tag: it cannot be read\na.example/ \"A\" in F\nb.example/ \"B\" in F"})
	checkFiles(t, cases)
}

func TestDescriptionsKeepTheirText(t *testing.T) {
	var cases []fileCase
	for _, c := range []fileCase{
		{"a link", `<DD>see <a href="https://c.example/">the other</a> page`, `"see [the other](https://c.example/) page"`},
		{"a link without a URL", "<DD>first\n<a>second</a>\nthird", `"first\nsecond\nthird"`},
		{"elements", "<DD>one<br>two <b>bold</b><p>three</p><h2>four</h2>", `"one\ntwo bold\nthree\nfour"`},
		{"a list", "<DD>to do: <ul><li>one<li>two</ul> and more", `"to do: \none\ntwo and more"`},
		{"the end of a description", "<DD>one</dd> two <dd>three</ul> four", `"one two \nthree four"`},
		{"a comparison", `<DD>if a<b then <a href="https://c.example/">c</a>`, `"if a<b then [c](https://c.example/)"`},
		{"a comparison that has an end", `<DD>if a<b then c>d`, `"if a<b then c>d"`},
		{"a line", "<DD>one<hr>two", `"one\ntwo"`},
		{"an attribute", "", ""},
	} {
		line := `<DT><A HREF="https://b.example/">B</A>` + "\n" + c.file
		want := `b.example/ "B" description ` + c.want
		if c.file == "" {
			line, want = `<DT><A HREF="https://b.example/" DESCRIPTION="from &quot;Scuttle&quot;">B</A>`, `b.example/ "B" description "from \"Scuttle\""`
		}
		cases = append(cases, fileCase{c.name, bookmarkFile(line), "a.example/ \"Before\"\n" + want + "\nz.example/ \"After\""})
	}
	cases = append(cases, fileCase{"a file without DT", "<DL><A HREF=\"https://b.example/\">B</A><DD>one\n<A HREF=\"https://c.example/\">C</A></DL>",
		"b.example/ \"B\" description \"one\"\nc.example/ \"C\""})
	checkFiles(t, cases)
}

func TestStrayEndOfAListKeepsTheFolder(t *testing.T) {
	checkFiles(t, []fileCase{
		{"in a folder", "<DL><p><DT><H3>F</H3><DL><p>\n<DT><A HREF=\"https://a.example/\">A</A></ul>\n<DT><A HREF=\"https://b.example/\">B</A></DL></DL>",
			"a.example/ \"A\" in F\nb.example/ \"B\" in F"},
		{"after a heading", "<DL><p><DT><H3>F</H3></ul><DL><p>\n<DT><A HREF=\"https://a.example/\">A</A></DL>\n<DT><A HREF=\"https://b.example/\">B</A></DL>",
			"a.example/ \"A\" in F\nb.example/ \"B\""},
		{"an open list", "<DL><p><DT><H3>F</H3><DL><p><ul>\n<DT><A HREF=\"https://a.example/\">A</A></DL>\n<DT><A HREF=\"https://b.example/\">B</A></DL>",
			"a.example/ \"A\" in F\nb.example/ \"B\""},
	})
}

func TestBrokenOutlinesCostAtMostOneBookmark(t *testing.T) {
	checkFiles(t, []fileCase{
		{"an open quote", "<opml><body>\n<outline text=\"A\" url=\"https://a.example/\"/>\n<outline text=\"B\" url=\"https://b.example/\n/>\n<outline text=\"C\" url=\"https://c.example/\"/>\n</body></opml>",
			"a.example/ \"A\"\nline 3: the tag of a bookmark lacks a quotation mark, or the file ends in it: it cannot be read\nc.example/ \"C\""},
		{"a URL in the text, and none", "<opml><body><outline text=\"&lt;a href='https://a.example/'>A&lt;/a> more\"/>\n<outline text=\"B\"/><outline text=\"C\"></outline></body></opml>",
			"a.example/ \"A\" description \"more\"\nline 2: the bookmark \"B\" has no URL"},
		{"a missing first quote", "<opml><body>\n<outline text=\"A\" htmlUrl=https://a.example/\" />\n<outline text=\"B\" url=\"https://b.example/ type=\"link\"/>\n</body></opml>",
			"line 2: the tag of a bookmark is broken: parts of it can be missing\na.example/ \"A\"\nline 3: the tag of a bookmark is broken: parts of it can be missing\nb.example/ \"B\""},
		{"an open comment", "<opml><body>\n<!-- feeds\n<outline text=\"A\" url=\"https://a.example/\"/>\n</body></opml>",
			"line 2: a comment does not end before the next bookmark: what follows it is read\na.example/ \"A\""},
	})
}
