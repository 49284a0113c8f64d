package page_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/html"

	"waymark/internal/fetch/page"
)

// numbered returns format n times, with the numbers from 0.
func numbered(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

func TestUnclosedFormattingIsNotRepeatedInEachElement(t *testing.T) {
	const paragraphs = 3_000
	for name, open := range map[string]string{
		"distinct":       numbered("<b a=%d>", 400),
		"upper case":     numbered("<FONT A=%d>", 400),
		"slashes":        numbered("<i/a%d>", 400),
		"quoted":         numbered(`<em a="<>" b='>%d'>`, 400),
		"equal":          strings.Repeat("<b><i><u><s><tt><em><strong><code><big><small><strike><font>", 3),
		"end in comment": numbered("<b a=%d><!--</b>-->", 400),
		"end in object":  numbered("<b a=%d><object></b></object>", 400),
		"end in SVG":     numbered("<b a=%d><svg><desc></b></desc></svg>", 400),
		"in style":       "<svg><style>" + numbered("<b a=%d>", 400),
	} {
		content := "<p>" + open + "</p>" + strings.Repeat("<p>x", paragraphs)
		reader, err := page.ForParser(content, 1<<20)
		check(t, err)
		document, err := html.Parse(reader)
		check(t, err)
		nodes := 0
		for range document.Descendants() {
			nodes++
		}
		if limit := 500_000 + 3*strings.Count(content, "<"); nodes < 2*paragraphs || nodes > limit {
			t.Errorf("%s: got %d nodes, want between %d and %d", name, nodes, 2*paragraphs, limit)
		}
	}
}

func TestPagesWithManyAttributesAreRefused(t *testing.T) {
	many := numbered(" a%d", 250_001)
	for name, content := range map[string]string{
		"of one element":  "<div" + many + ">",
		"of many":         strings.Repeat("<p a b c d e f g h i j>x", 25_001),
		"in style of SVG": "<svg><style><g" + many + "></style></svg>",
	} {
		if _, err := page.ForParser(content, 1<<20); !errors.Is(err, page.ErrTooLarge) {
			t.Errorf("%s: got %v, want %v", name, err, page.ErrTooLarge)
		}
	}
	for name, content := range map[string]string{"text": "<style>" + many + "</style>", "few": "<svg/><div" + numbered(" a%d", 249_000) + ">"} {
		if _, err := page.ForParser(content, 1<<20); err != nil {
			t.Errorf("%s: got %v, want no error", name, err)
		}
	}
}

func TestFormattingOfUsualPagesIsKept(t *testing.T) {
	for name, content := range map[string]string{
		"closed":   numbered(`<p><i class="icon-%d"></i> <code id="c">a</code> <b>a <em>b</em></b>`, 3_000),
		"equal":    strings.Repeat(`<p><font color="#ff0000" size=2><b><a href=x>a</a></b></font>`, 3_000),
		"unclosed": numbered("<p><font size=%d>a", 100),
		"others":   strings.Repeat("<p><a href=x><span><section>", 3_000),
	} {
		reader, err := page.ForParser(content, 1<<20)
		check(t, err)
		if got, _ := io.ReadAll(reader); string(got) != content {
			t.Errorf("%s: got %.100q, want %.100q", name, got, content)
		}
	}
}

func TestParsingEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, wait := range []time.Duration{0, time.Minute} {
			reader, err := page.ForParser("<p>a", 10)
			check(t, err)
			time.Sleep(wait)
			if _, err := html.Parse(reader); errors.Is(err, page.ErrTooLarge) != (wait > 0) {
				t.Errorf("after %s: got error %v", wait, err)
			}
		}
	})
}

func TestTagsInSVGCount(t *testing.T) {
	for _, content := range []string{strings.Repeat("<p>", 11), "<svg><style>" + strings.Repeat("<p>", 9), "<math><title>" + strings.Repeat("<p>", 9)} {
		if _, err := page.ForParser(content, 10); !errors.Is(err, page.ErrTooLarge) {
			t.Errorf("%s: got error %v, want %v", content, err, page.ErrTooLarge)
		}
	}
}

func TestAttributesOfManyBodiesAreNotCompared(t *testing.T) {
	for _, name := range []string{"html", "BODY"} {
		_, few := page.ForParser(strings.Repeat("<"+name+" a>", 200), 1000)
		_, many := page.ForParser(strings.Repeat("<"+name+" a>", 201), 1000)
		if few != nil || !errors.Is(many, page.ErrTooLarge) {
			t.Errorf("%s: got errors %v for 200 and %v for 201", name, few, many)
		}
	}
}
