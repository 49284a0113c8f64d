package query_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"waymark/internal/query"
	"waymark/internal/waymark"
)

// word is the condition of a word without a field.
func word(text string) waymark.Condition {
	return waymark.Contains{Text: text, In: waymark.InTexts | waymark.InNames}
}

func tag(name string) waymark.Condition {
	return waymark.Labeled{Kind: waymark.Tags, Refs: []waymark.Ref{{Name: name}}}
}

func list(name string) waymark.Condition {
	return waymark.Labeled{Kind: waymark.Lists, Refs: []waymark.Ref{{Name: name}}}
}

func not(c waymark.Condition) waymark.Condition { return waymark.Not{Condition: c} }

func TestQueriesMeanWhatAPersonMeans(t *testing.T) {
	inURL := waymark.Contains{Text: "a b", In: waymark.InURL}
	for text, want := range map[string]waymark.Condition{
		"":                            waymark.And(nil),
		"C#":                          word("C#"),
		"don't panic":                 waymark.And{word("don't"), word("panic")},
		"to be or not to be":          waymark.And{word("to"), word("be"), word("or"), word("not"), word("to"), word("be")},
		"https://x.org/wiki/Foo_(b)":  word("https://x.org/wiki/Foo_(b)"),
		"(https://x.org/Foo_(b) OR c": waymark.Or{word("(https://x.org/Foo_(b)"), word("c")},
		"(x/Foo_(b) OR c) :)":         waymark.And{waymark.Or{word("x/Foo_(b)"), word("c")}, word(":)")},
		`c++ "a b" (x`:                waymark.And{word("c++"), word("a b"), word("(x")},
		"a OR b c":                    waymark.Or{word("a"), waymark.And{word("b"), word("c")}},
		"a AND (b OR NOT c) -d":       waymark.And{word("a"), waymark.Or{word("b"), not(word("c"))}, not(word("d"))},
		"-(a b) NOT NOT c":            waymark.And{not(waymark.And{word("a"), word("b")}), word("c")},
		"OR a OR":                     waymark.And{word("OR"), word("a"), word("OR")},
		"a OR OR b NOT":               waymark.Or{word("a"), waymark.And{word("OR"), word("b"), word("NOT")}},
		"git --cached - -":            waymark.And{word("git"), word("--cached"), word("-"), word("-")},
		"() ( ) a":                    waymark.And{word("()"), word("("), word(")"), word("a")},
		`#go #"a b" #"say ""hi"""`:    waymark.And{tag("go"), tag("a b"), tag(`say "hi"`)},
		`tag:Go list:Work list:"#7"`:  waymark.And{tag("Go"), list("Work"), list("#7")},
		"# tag: list:":                waymark.And{word("#"), word("tag:"), word("list:")},
		"tag:#7 -list:#8": waymark.And{
			waymark.Labeled{Kind: waymark.Tags, Refs: []waymark.Ref{{ID: 7}}},
			not(waymark.Labeled{Kind: waymark.Lists, Refs: []waymark.Ref{{ID: 8}}}),
		},
		`#lang/* #"lang/*" #"a b"*`: waymark.And{
			waymark.Labeled{Kind: waymark.Tags, Refs: []waymark.Ref{{Name: "lang/"}}, Prefix: true}, tag("lang/*"),
			waymark.Labeled{Kind: waymark.Tags, Refs: []waymark.Ref{{Name: "a b"}}, Prefix: true},
		},
		`url:"a b" foo:bar 10:30`:            waymark.And{inURL, word("foo:bar"), word("10:30")},
		"site:https://GitHub.com/golang":     waymark.OnSite("github.com"),
		"IS:Private is:nothing":              waymark.And{waymark.IsPrivate, word("is:nothing")},
		"after:2026-11 on:30d before:Sunday": waymark.And{waymark.Dated{Field: waymark.SavedAfter, Period: "2026-11"}, waymark.Dated{Field: waymark.SavedOn, Period: "30d"}, word("before:Sunday")},
		"has:passage passage:\"a b\"":        waymark.And{waymark.HasPassage, waymark.Contains{Text: "a b", In: waymark.InPassages}},
		"has:note by:ann":                    waymark.And{waymark.HasNote, waymark.OwnedBy{Name: "ann"}},
		"(a in:Snapshot) OR title:b":         waymark.Or{waymark.Contains{Text: "a", In: waymark.InTexts | waymark.InNames | waymark.InSnapshot}, waymark.Contains{Text: "b", In: waymark.InTitle}},
		"in:copy OR -in:notes":               not(word("in:notes")),
		`5" "unclosed words`:                 waymark.And{word(`5"`), word("unclosed words")},
		"  \t 日本　語 ":                         waymark.And{word("日本"), word("語")},
		`"" a`:                               word("a"),
	} {
		got, _ := query.Parse(text)
		if text == "in:copy OR -in:notes" {
			want = waymark.MapLeaves(want, func(c waymark.Condition) waymark.Condition {
				contains := c.(waymark.Contains)
				contains.In |= waymark.InSnapshot
				return contains
			})
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

func TestProblemsHaveAPosition(t *testing.T) {
	for text, want := range map[string][]query.Problem{
		`C# don't "a b" -(x OR y)`: nil,
		"a (b":                     {{2, "(b", query.Unclosed}},
		"é (b (c":                  {{2, "(b", query.Unclosed}, {5, "(c", query.Unclosed}},
		`日本 "b c`:                  {{3, `"b c`, query.Unclosed}},
		"a ()":                     {{2, "()", query.EmptyGroup}},
		"a OR":                     {{2, "OR", query.MissingOperand}},
		"(AND a) NOT":              {{1, "AND", query.MissingOperand}, {8, "NOT", query.MissingOperand}},
		`x is:"lost and found"`:    {{2, `is:"lost and found"`, query.UnknownValue}},
		"before:2026-13 has:legs":  {{0, "before:2026-13", query.UnknownValue}, {15, "has:legs", query.UnknownValue}},
		strings.Repeat("a ", 21):   {{40, "a", query.TooMany}},
		strings.Repeat("#a ", 66):  {{192, "#a", query.TooMany}},
		strings.Repeat("(", 17) + "a" + strings.Repeat(")", 17): {{16, "(a)", query.TooDeep}},
	} {
		if _, got := query.Parse(text); !cmp.Equal(want, got) {
			t.Errorf("%q: %s", text, cmp.Diff(want, got))
		}
	}
}

func TestLinkdingQueries(t *testing.T) {
	word := func(text string) waymark.Condition {
		return waymark.Contains{Text: text, In: waymark.InTexts | waymark.InNotes}
	}
	for text, want := range map[string]waymark.Condition{
		"":                       waymark.And(nil),
		"a and b Or c":           waymark.Or{waymark.And{word("a"), word("b")}, word("c")},
		"not (a or #go) !unread": waymark.And{not(waymark.Or{word("a"), tag("go")}), waymark.IsUnread},
		"!untagged -x is:broken": waymark.And{waymark.IsUntagged, word("-x"), word("is:broken")},
		`'a "b"' "c \"d\" \\"`:   waymark.And{word(`a "b"`), word(`c "d" \`)},
		"don't":                  waymark.And{word("don"), word("t")},
		"C# x!y":                 waymark.And{word("C"), word("x")},
		`a"b"#go#x not(c)`:       waymark.And{word("a"), word("b"), tag("go#x"), not(word("c"))},
		"# ! a":                  word("a"),
		"!Unread not !other a":   waymark.And{waymark.IsUnread, word("a")},
		strings.Repeat("(", 20) + "a" + strings.Repeat(")", 20): waymark.Or{},
		"a)":           waymark.Or{},
		"a ()":         waymark.Or{},
		"(a or) b":     waymark.Or{},
		`"a\tb\'"`:     word("a\tb'"),
		"#c*":          tag("c*"),
		`c++ "a b" (x`: waymark.Or{},
		"a or":         waymark.Or{},
		"!archived":    waymark.And(nil),
	} {
		if diff := cmp.Diff(want, query.ParseLinkding(text)); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

func TestPrintIsCanonical(t *testing.T) {
	for text, want := range map[string]string{
		`tag:"go"  list:"Work" -"x"`:  "#go list:Work -x",
		"(a AND (b c)) OR (d)":        "a b c OR d",
		"a (b OR c) NOT(d)":           "a (b OR c) NOT(d)",
		"NOT (a OR -b) -(c d)":        "-(a OR -b) -(c d)",
		`"OR" "#x" "-y" "tag:z" ")"`:  `"OR" "#x" "-y" "tag:z" ")"`,
		`#"a ""b""" #"c*" #"d e"* #*`: `#"a ""b""" #"c*" #"d e"* #*`,
		"a in:copy #b in:notes":       "a #b in:snapshot in:notes",
		"snapshot:a copy:b has:copy":  "snapshot:a snapshot:b has:snapshot",
		"is:nothing (x":               `"is:nothing" "(x"`,
		"x/Foo_(b) by:Ann":            "x/Foo_(b) by:Ann",
		`tag:"#7" tag:#7 list:#8`:     `#"#7" tag:#7 list:#8`,
		"Site:Go.dev Changed:7D":      "site:go.dev changed:7d",
	} {
		c, _ := query.Parse(text)
		if got := query.Print(c); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{
		`a (b OR -c) "d ""e""" #f* tag:#7 list:"g h" in:copy NOT NOT i`, `((a) (b`, `-"" x`, `tag:"`, "a OR (in:copy) b", `#"x"*y`,
		strings.Repeat("(a ", 20), "-(-)", "AND OR NOT -( - )", `title:"" before:30d is:"ok"`,
		"C# don't panic to be or not to be", `https://en.wikipedia.org/wiki/Foo_(bar) c++ "a b" (x`, `--a -NOT b #"" list:* tag:"*" #"a*"`,
		"a\u00a0OR\u3000b \x00 \xff", `site:[::1]:80 site:"a b" by:"" in:notes (in:copy)`, `after:2026-13 on:2026-02-30 changed:9999999999y -before:0d`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, _ := query.Parse(text)
		printed := query.Print(c)
		again, problems := query.Parse(printed)
		if !reflect.DeepEqual(c, again) { // cmp.Diff takes exponential time
			t.Errorf("%q is printed as %q, which is %#v, not %#v", text, printed, again, c)
		}
		if len(problems) > 0 {
			t.Errorf("%q is printed as %q, which has problems: %v", text, printed, problems)
		}
		n := 0
		for range waymark.Leaves(c) {
			n++
		}
		if n > query.MaxConditions {
			t.Errorf("%q has %d conditions", text, n)
		}
		query.ParseLinkding(text)
	})
}
