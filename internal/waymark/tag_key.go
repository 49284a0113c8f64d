package waymark

import "strings"

// shortForms are names of tags that people shorten.
var shortForms = map[string]string{
	"js": "javascript", "ts": "typescript", "k8s": "kubernetes", "py": "python", "golang": "go", "rb": "ruby", "db": "database",
	"ml": "machinelearning", "ai": "artificialintelligence", "cpp": "c++",
}

// tagSeparators are left out of a TagKey.
var tagSeparators = strings.NewReplacer("-", "", "_", "", ".", "", " ", "")

// TagKey returns what names of tags have in common that look alike: it has no case, no accents, no separators, no s at the
// end, and the long form of a name that people shorten.
func TagKey(name string) string {
	plain := Plain(name)
	key := tagSeparators.Replace(plain)
	if key == "" {
		return plain
	}
	if long, ok := shortForms[key]; ok {
		key = long
	}
	if singular, ok := strings.CutSuffix(key, "s"); ok && len(singular) > 2 && !strings.HasSuffix(singular, "s") {
		key = singular
	}
	return key
}
