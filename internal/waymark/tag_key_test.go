package waymark_test

import (
	"testing"

	"waymark/internal/waymark"
)

func TestTagKeyJoinsNamesThatLookAlike(t *testing.T) {
	for _, names := range [][]string{
		{"JavaScript", "java-script", "js", "JS", "java script"}, {"k8s", "Kubernetes"}, {"tutorial", "Tutorials"}, {"self-hosted", "selfhosted", "Self Hosted", "self_hosted"},
		{"café", "Cafe", "cafés"}, {"node.js", "nodejs"}, {"c++", "cpp"}, {"go", "golang"},
	} {
		for _, name := range names {
			if got, want := waymark.TagKey(name), waymark.TagKey(names[0]); got != want {
				t.Errorf("%s: got %s, want %s as of %s", name, got, want, names[0])
			}
		}
	}
	for _, pair := range [][2]string{{"go", "gos"}, {"c", "c++"}, {"gras", "grass"}, {"-", "_"}, {"java", "javascript"}} {
		if waymark.TagKey(pair[0]) == waymark.TagKey(pair[1]) {
			t.Errorf("%s and %s look alike", pair[0], pair[1])
		}
	}
}
