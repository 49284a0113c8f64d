package bookmarks_test

import (
	"strings"
	"testing"
	"time"

	"waymark/internal/bookmarks"
)

func TestMarkupOfListsIsRead(t *testing.T) {
	checkFiles(t, []fileCase{
		{"Markdown", "# Links\n\n- [one](https://a.example/x_(y) \"A title\") - about it\n- [ ] [task](<https://b.example/>)\n1. [x] [**bold**](https://c.example/)\nhttps://d.example/",
			"a.example/x_(y) \"one\" description \"about it\"\nb.example/ \"task\"\nc.example/ \"bold\"\nd.example/ \"\""},
		{"titles on lines before", "One\nhttps://a.example/\n\nTwo:\nhttps://b.example/\nlost\nThree\n- https://c.example/\n\nFour\n\nhttps://d.example/\nlast",
			"a.example/ \"One\"\nline 4: no URL in \"Two:\"\nb.example/ \"\"\nline 6: no URL in \"lost\"\nc.example/ \"Three\"\nline 10: no URL in \"Four\"\nd.example/ \"\"\nline 13: no URL in \"last\""},
		{"numbers", "1. https://a.example/ - One\n2) [two](https://b.example/)", "a.example/ \"One\"\nb.example/ \"two\""},
		{"several links", "- [a](https://a.example/), [b](https://b.example/) and [c\\]](https://c.example/)", "a.example/ \"a\"\nb.example/ \"b\"\nc.example/ \"c]\""},
		{"references", "See [the text][1].\n\n[1]: https://a.example/ 'Title'", "line 1: no URL in \"See [the text][1].\"\na.example/ \"[1]\" description \"'Title'\""},
		{"a link over several lines", "- [A long\n  title\n  here](https://a.example/) about", "line 1: no URL in \"- [A long\"\nline 2: no URL in \"title\"\na.example/ \"here\" description \"about\""},
		{"texts after links", "Seven: https://a.example/ and more\n- [b](https://b.example/), [c](https://c.example/) about both", "a.example/ \"Seven\" description \"and more\"\nb.example/ \"b\"\nc.example/ \"c\" description \"about both\""},
		{"images", "[![badge](https://img.example/x.png)](https://a.example/)\n![](https://img.example/y.png) [b](https://b.example/)", "a.example/ \"badge\"\nb.example/ \"b\""},
		{"a URL as title", "[https://a.example/](https://a.example/page)", "a.example/page \"https://a.example/\""},
		{"no closing parenthesis", "[a](https://a.example/ [b](https://b.example/)", "a.example/ \"a\"\nb.example/ \"b\""},
		{"a heading", "## [a](https://a.example/)\n# https://ignored.example/\nhttps://b.example/", "a.example/ \"a\"\nb.example/ \"\""},
		{"buku in Markdown", "- [a](https://a.example/) <!-- TAGS: one,two -->", "a.example/ \"a\" tags [\"one\" \"two\"]"},
		{"Org", "#+TITLE: Links\n* [[https://a.example/][One thing]] :x:y:\n- [[https://b.example/]]", "a.example/ \"One thing\" tags [\"x\" \"y\"]\nb.example/ \"\""},
		{"reStructuredText", "`One thing <https://a.example/>`__ and more\n.. _two: https://b.example/", "a.example/ \"One thing\" description \"and more\"\nb.example/ \"two\""},
		{"a table of AsciiDoc", "|===\n|Title |URL\n| One\n| https://a.example/\n|more\n|===", "line 2: no URL in \"|Title |URL\"\na.example/ \"One\"\nline 5: no URL in \"|more\""},
		{"several documents of YAML", "url: https://a.example/\nurl: https://b.example/", "a.example/ \"\"\nb.example/ \"\""},
		{"Markdown that begins with YAML", "---\ntitle: Links\nurl: https://a.example/\n---\n- [B](https://b.example/)", "line 2: no URL in \"title: Links\"\na.example/ \"\"\nb.example/ \"B\""},
		{"MediaWiki", "* [https://a.example/ One thing]\n* [https://b.example/]", "a.example/ \"One thing\"\nb.example/ \"\""},
		{"the end of a sentence", "> see https://a.example/x.\nand https://b.example/?!\nhttps://c.example/Inc.", "a.example/x \"see\"\nb.example/ \"and\"\nc.example/Inc. \"\""},
		{"HTML in a text", "Links\n<a class=x href=\"https://a.example/\">One <b>thing</b></a>", "line 1: no URL in \"Links\"\na.example/ \"One thing\""},
		{"a card with an address", "BEGIN:VCARD\nFN:Ann\nURL:https://a.example/\nNOTE:later\nmailto:ann@a.example\nftp://a.example/f Files",
			"line 1: no URL in \"BEGIN:VCARD\"\nline 2: no URL in \"FN:Ann\"\na.example/ \"\"\nline 4: no URL in \"NOTE:later\"\nmailto:ann@a.example \"\"\nftp://a.example/f \"Files\""},
		{"RIS", "TY  - ELEC\nUR  - https://a.example/\nER  -", "line 1: no URL in \"TY  - ELEC\"\na.example/ \"\"\nline 3: no URL in \"ER  -\""},
		{"BibTeX in one line", `@misc{a, title="A", howpublished="\url{https://a.example/}"}`, "a.example/ \"\""},
		{"OneTab", "https://a.example/ | One | thing\nhttps://b.example/ | Two", "a.example/ \"One | thing\"\nb.example/ \"Two\""},
	})
}

func TestMarksBesideURLsAreNotSaved(t *testing.T) {
	checkFiles(t, []fileCase{
		{"quotes", "\"https://a.example/\"\n'https://b.example/'\n“https://c.example/”\n`https://d.example/`", "a.example/ \"\"\nb.example/ \"\"\nc.example/ \"\"\nd.example/ \"\""},
		{"separators", "https://a.example/, https://b.example/;\nhttps://c.example/,https://d.example/\nhttps://e.example/|Title", "a.example/ \"\"\nb.example/ \"\"\nc.example/ \"\"\nd.example/ \"\"\ne.example/ \"Title\""},
		{"brackets", "A title (https://a.example/x_(y))\n<https://b.example/>\nin [https://c.example/#a]\n**https://d.example/**", "a.example/x_(y) \"A title\"\nb.example/ \"\"\nc.example/#a \"in\"\nd.example/ \"\""},
		{"Chinese marks", "参见：https://a.example/。\n（https://b.example/）和https://c.example/页（二），谢谢", "a.example/ \"参见\"\nb.example/ \"\"\nc.example/页（二） \"和\" description \"谢谢\""},
		{"invisible characters and spaces", "\u200bhttps://a.example/\u200b\nhttps://b.example/\u00a0One\nhttps://c.example/\u3000題名\n‹https://d.example/›\nhttps://e.example/…\nhttps://f.example/— text",
			"a.example/ \"\"\nb.example/ \"One\"\nc.example/ \"題名\"\nd.example/ \"\"\ne.example/ \"\"\nf.example/ \"text\""},
		{"a sentence", "Read https://a.example/page. Then sleep", "a.example/page \"Read\" description \"Then sleep\""},
		{"what belongs to the URL", "https://a.example/a,b;c=1!\nhttps://web.archive.example/2020/https://b.example/\nhttps://[::1]:80/", "a.example/a,b;c=1! \"\"\nweb.archive.example/2020/https://b.example/ \"\"\n[::1]:80/ \"\""},
	})
}

func TestManyImagesInALineNeedTimeInProportionToTheFile(t *testing.T) {
	began := time.Now()
	got := read(strings.NewReader("https://a.example/ "+strings.Repeat("[![](http://a)", 70_000)), bookmarks.Limits{})
	if took := time.Since(began); got.count != 1 || took > 10*time.Second { // 0.1 seconds, 16 if each reads the rest of the line
		t.Errorf("got %s in %s, want one bookmark in less than 10 seconds", got, took)
	}
}
