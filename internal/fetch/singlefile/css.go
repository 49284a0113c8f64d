package singlefile

import (
	"slices"
	"strings"
)

// missing is the URL in place of a resource that is left out. Browsers do not request it.
const missing = "data:,"

type resourceKind int

const (
	imageResource resourceKind = iota
	fontResource
	sheetResource
)

// rewriteCSS replaces each URL in CSS by the one that replace returns for it, which can be missing. It
// keeps references to elements of the same page, and namespaces.
func rewriteCSS(css string, replace func(kind resourceKind, reference string) string) string {
	r := cssRewriter{tokens: cssTokens(css), replace: replace, importable: true}
	r.rewrite()
	// The CSS must not contain </style>. In a string, an escaped slash is a slash.
	return strings.ReplaceAll(r.out.String(), "</", `<\/`)
}

// cssRewriter writes the tokens of CSS with other URLs.
type cssRewriter struct {
	tokens  []cssToken
	at      int // the index of the current token
	out     strings.Builder
	replace func(kind resourceKind, reference string) string

	ruleEnd    int      // the end of the last at-rule, see atRule
	open       []string // the functions and blocks around the token: their names, or "(", "[" and "{"
	importable bool     // @import is allowed here
	inFont     bool     // the token is in @font-face
	hasFont    bool     // which has a font file already
}

func (r *cssRewriter) rewrite() {
	for r.at < len(r.tokens) {
		t := r.tokens[r.at]
		switch {
		case t.kind == atKeywordToken && len(r.open) == 0:
			r.atRule(t)
			continue
		case t.kind == urlToken:
			r.writeURL(r.replacedInURL(t.value))
		case t.kind == functionToken && (t.value == "url" || t.value == "src"):
			if r.quotedURL() {
				continue
			}
			r.open = append(r.open, t.value)
			r.out.WriteString(t.raw)
		case t.kind == functionToken:
			r.open = append(r.open, t.value)
			r.out.WriteString(t.raw)
		case t.kind == stringToken && r.inImageSet():
			r.writeString(r.replaced(imageResource, t.value))
		default:
			r.bracket(t)
			r.out.WriteString(t.raw)
		}
		if t.kind != spaceToken {
			r.importable = false
		}
		r.at++
	}
}

// bracket updates open if the token begins or ends a block.
func (r *cssRewriter) bracket(t cssToken) {
	switch t.raw {
	case "(", "[", "{":
		r.open = append(r.open, t.raw)
	case ")", "]", "}":
		r.inFont = r.inFont && t.raw != "}"
		if len(r.open) > 0 {
			r.open = r.open[:len(r.open)-1]
		}
	}
}

// inImageSet reports whether the token is in a function in which strings are URLs.
func (r *cssRewriter) inImageSet() bool {
	return len(r.open) > 0 && slices.Contains([]string{"image-set", "-webkit-image-set", "image", "-webkit-cross-fade", "cross-fade"}, r.open[len(r.open)-1])
}

// quotedURL writes url("…") with another URL. It returns false if the function is not of this form.
func (r *cssRewriter) quotedURL() bool {
	n := r.skipSpace(r.at + 1)
	if n == len(r.tokens) || r.tokens[n].kind != stringToken {
		return false
	}
	r.writeURL(r.replacedInURL(r.tokens[n].value))
	r.at = r.endOfFunction(n+1, len(r.tokens))
	r.importable = false
	return true
}

// endOfFunction returns the index after the ")" of a function, end if that is not before end. n is the
// index of a token in it.
func (r *cssRewriter) endOfFunction(n, end int) int {
	for depth := 1; n < end; n++ {
		switch t := r.tokens[n]; {
		case t.kind == functionToken || t.raw == "(":
			depth++
		case t.raw == ")":
			if depth--; depth == 0 {
				return n + 1
			}
		}
	}
	return end
}

// skipSpace returns the index of the first token from n on that is not white space.
func (r *cssRewriter) skipSpace(n int) int {
	for n < len(r.tokens) && r.tokens[n].kind == spaceToken {
		n++
	}
	return n
}

// replaced returns the URL that replaces a reference.
func (r *cssRewriter) replaced(kind resourceKind, reference string) string {
	reference = strings.TrimSpace(reference)
	if strings.HasPrefix(reference, "#") {
		return reference
	}
	if reference == "" {
		return missing
	}
	return r.replace(kind, reference)
}

// replacedInURL is replaced for url(…). An @font-face gets one font file, because browsers only use the first
// one whose format they support; old formats are left out.
func (r *cssRewriter) replacedInURL(reference string) string {
	if !r.inFont {
		return r.replaced(imageResource, reference)
	}
	path, _, _ := strings.Cut(strings.ToLower(reference), "?")
	path, _, _ = strings.Cut(path, "#")
	if r.hasFont || strings.HasSuffix(path, ".eot") || strings.HasSuffix(path, ".svg") {
		return missing
	}
	rawURL := r.replaced(fontResource, reference)
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

// atRule writes @import, @namespace or @layer without a block. It leaves out @charset. Of
// other at-rules it only writes the keyword.
func (r *cssRewriter) atRule(t cssToken) {
	end := max(r.at+1, r.ruleEnd) // the index of the ";" or "{", which rules inside each other share
	for depth := 0; end < len(r.tokens) && end > r.ruleEnd; end++ {
		token := r.tokens[end]
		if depth == 0 && (token.raw == ";" || token.raw == "{") {
			break
		}
		switch {
		case token.kind == functionToken || token.raw == "(" || token.raw == "[":
			depth++
		case (token.raw == ")" || token.raw == "]") && depth > 0:
			depth--
		}
	}
	r.ruleEnd = end
	block := end < len(r.tokens) && r.tokens[end].raw == "{"
	after := min(end+1, len(r.tokens))
	switch {
	case t.value == "charset": // left out: the file is in UTF-8
		r.at = after
	case t.value == "import":
		if r.importable && !block {
			r.importRule(end)
		}
		r.at = after
		if block { // invalid
			r.at = end
			r.skipBlock()
		}
	case t.value == "namespace" || t.value == "layer" && !block:
		for _, token := range r.tokens[r.at:after] {
			r.out.WriteString(token.raw)
		}
		r.importable = r.importable && t.value == "layer"
		r.at = after
	default:
		r.importable = false
		r.inFont, r.hasFont = t.value == "font-face" && block, false
		r.out.WriteString(t.raw)
		r.at++
		return // the method rewrite writes what follows
	}
}

// skipBlock leaves out the block that begins at the current token.
func (r *cssRewriter) skipBlock() {
	for depth := 0; r.at < len(r.tokens); r.at++ {
		switch r.tokens[r.at].raw {
		case "{":
			depth++
		case "}":
			if depth--; depth == 0 {
				r.at++
				return
			}
		}
	}
}

// importRule writes the @import that ends before end, unless its style sheet is missing.
func (r *cssRewriter) importRule(end int) {
	n := r.skipSpace(r.at + 1)
	if n >= end {
		return
	}
	reference, rest := "", n+1
	switch t := r.tokens[n]; {
	case t.kind == urlToken || t.kind == stringToken:
		reference = t.value
	case t.kind == functionToken && t.value == "url":
		if i := r.skipSpace(n + 1); i < end && r.tokens[i].kind == stringToken {
			reference, rest = r.tokens[i].value, r.endOfFunction(i+1, end)
		}
	}
	if strings.TrimSpace(reference) == "" {
		return
	}
	rawURL := r.replaced(sheetResource, reference)
	if !strings.HasPrefix(rawURL, "data:text/css") {
		return
	}
	r.out.WriteString("@import ")
	r.writeURL(rawURL)
	for _, token := range r.tokens[rest:end] {
		r.out.WriteString(token.raw)
	}
	r.out.WriteString(";")
}
