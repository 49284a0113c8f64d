package singlefile

import (
	"cmp"
	"slices"
	"strings"
)

// missing is the URL in place of a resource that is left out. Browsers do not request it.
const missing = "data:,"

// cssRewriter writes CSS with other URLs, and with the rules of style sheets in place of each @import. It keeps
// references to elements of the same page, and leaves out @namespace, which is only valid at the beginning of a sheet.
type cssRewriter struct {
	url   func(reference string) string // returns the URL in place of another one, which can be missing
	sheet func(reference string) string // returns the rules in place of an import
	token func() bool                   // reports whether another token may be read

	lexer   *cssLexer
	current cssToken
	again   bool // next returns the current token once more
	failed  bool // there are too many tokens, or blocks in blocks
	out     strings.Builder
	open    []string // the functions and blocks around the token: their names, or "(", "[" and "{"
	blocks  bool     // there was a block, after which an import is invalid
	inFont  bool     // the token is in @font-face
	hasFont bool     // which has a font file already
}

const (
	// maxCSSTokens is the maximum number of tokens of CSS in a page, which are read twice: once to start downloads.
	// The largest style sheets of real pages have a tenth of it.
	maxCSSTokens = 4_000_000
	// maxBlocks is the maximum number of functions and blocks around a token.
	maxBlocks = 1000
)

// next reads a token into current. It returns false at the end.
func (r *cssRewriter) next() bool {
	if r.again {
		r.again = false
		return true
	}
	if r.failed = r.failed || len(r.open) > maxBlocks || !r.token(); r.failed {
		return false
	}
	var ok bool
	r.current, ok = r.lexer.next()
	return ok
}

// rewrite returns CSS with other URLs. It returns false if it has too many tokens, or blocks in blocks.
func (r *cssRewriter) rewrite(css string) (string, bool) {
	for r.lexer = newCSSLexer(css); r.next(); {
		t := r.current
		switch {
		case t.kind == atKeywordToken && (t.value == "import" || t.value == "namespace"):
			r.importRule()
			continue
		case t.kind == atKeywordToken && t.value == "font-face":
			r.inFont, r.hasFont = true, false
		case t.kind == urlToken:
			r.writeURL(r.replacedInURL(t.value))
			continue
		case t.kind == functionToken:
			r.open = append(r.open, t.value)
		case t.kind == stringToken && r.stringsAreURLs():
			r.writeString(r.replaced(t.value))
			continue
		default:
			r.bracket(t)
		}
		r.out.WriteString(t.raw)
	}
	// The CSS must not contain </style>. In a string, an escaped slash is a slash.
	return strings.ReplaceAll(r.out.String(), "</", `<\/`), !r.failed
}

// closing returns what ends the functions and blocks that are open, as browsers end them after the last rule of a sheet.
func (r *cssRewriter) closing() string {
	var out strings.Builder
	for _, name := range slices.Backward(r.open) {
		out.WriteString(cmp.Or(map[string]string{"{": "}", "[": "]"}[name], ")"))
	}
	return out.String()
}

// bracket updates open if the token begins or ends a block.
func (r *cssRewriter) bracket(t cssToken) {
	switch t.raw {
	case "(", "[", "{":
		r.open = append(r.open, t.raw)
		r.blocks = r.blocks || t.raw == "{"
	case ")", "]", "}":
		r.inFont = r.inFont && t.raw != "}"
		if len(r.open) > 0 {
			r.open = r.open[:len(r.open)-1]
		}
	}
}

// urlFunctions are the functions in which strings are URLs, besides url.
var urlFunctions = []string{"src", "image-set", "-webkit-image-set", "image", "-webkit-cross-fade", "cross-fade"}

// stringsAreURLs reports whether the token is in a function in which strings are URLs.
func (r *cssRewriter) stringsAreURLs() bool {
	return len(r.open) > 0 && slices.Contains(urlFunctions, r.open[len(r.open)-1])
}

// replaced returns the URL that replaces a reference.
func (r *cssRewriter) replaced(reference string) string {
	reference = strings.TrimSpace(reference)
	if strings.HasPrefix(reference, "#") {
		return reference
	}
	if reference == "" {
		return missing
	}
	return r.url(reference)
}

// replacedInURL is replaced for url(…). An @font-face gets one font file, because browsers only use the first
// one whose format they support; old formats are left out.
func (r *cssRewriter) replacedInURL(reference string) string {
	if !r.inFont {
		return r.replaced(reference)
	}
	path, _, _ := strings.Cut(strings.ToLower(reference), "?")
	path, _, _ = strings.Cut(path, "#")
	if r.hasFont || strings.HasSuffix(path, ".eot") || strings.HasSuffix(path, ".svg") {
		return missing
	}
	rawURL := r.replaced(reference)
	r.hasFont = rawURL != missing
	return rawURL
}

func (r *cssRewriter) writeURL(rawURL string) {
	r.out.WriteString("url(")
	r.writeString(rawURL)
	r.out.WriteString(")")
}

// cssStrings escapes characters that a string cannot contain.
var cssStrings = strings.NewReplacer(`\`, `\5c `, `"`, `\22 `, "\n", `\a `, "\r", `\d `, "\f", `\c `)

func (r *cssRewriter) writeString(s string) { r.out.WriteString(`"` + cssStrings.Replace(s) + `"`) }

// importRule writes the rules of a style sheet in place of the @import at the current token, in @media if it has
// media queries. It leaves out an import with other conditions, one in or after a block, which is invalid, and
// @namespace.
func (r *cssRewriter) importRule() {
	reference, valid := "", len(r.open) == 0 && !r.blocks && r.current.value == "import"
	var media strings.Builder
	for r.next() {
		t := r.current
		switch {
		case t.raw == "{" || t.raw == "}": // not of the import
			r.again = true
			return
		case reference == "" && (t.kind == urlToken || t.kind == stringToken):
			reference = strings.TrimSpace(t.value)
			valid = valid && reference != ""
			continue
		case t.kind == urlToken || t.kind == stringToken || t.kind == functionToken:
			valid = false
		}
		if t.raw == ";" {
			break
		}
		media.WriteString(t.raw)
	}
	if !valid || reference == "" {
		return
	}
	rules := r.sheet(reference)
	if condition := strings.TrimSpace(media.String()); condition != "" && rules != "" {
		rules = "@media " + condition + "{" + rules + "}"
	}
	r.out.WriteString(rules)
}
