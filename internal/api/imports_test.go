package api

import (
	"strings"
	"testing"
	"time"

	"waymark/internal/config"
)

// importEnded waits until an import has ended, and returns it.
func (p *testClient) importEnded(t *testing.T, path string) response {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; {
		got := p.get(t, path).ok(t)
		if !strings.Contains(got.body, `"state":"running"`) {
			return got
		}
		if time.Now().After(deadline) {
			t.Fatalf("the import has not ended: %s", got.body)
		}
	}
}

func TestFileInTheBodyIsImportedAndUndone(t *testing.T) {
	s := newTestServer(t)
	ann, ben := s.addUser(t, "ann"), s.addUser(t, "ben")
	const file = "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p><DT><H3>News</H3><DL><p>\n<DT><A HREF=\"https://a.example/\">A</A>\n<DT><A HREF=\"javascript:x\">B</A>\n</DL><p></DL><p>"
	ann.post(t, "/imports?file=b.html&folders=both&visibility=1", file).wantValue(t, "id file format state", `[1,"b.html","bookmarks HTML","running"]`)
	ann.importEnded(t, "/imports/1").wantValue(t, "state read added failed report.0.line report.0.url", `["finished",2,1,1,4,"javascript:x"]`)
	ann.get(t, "/links").wantValue(t, "data.*.url data.0.visibility data.0.lists.0.name data.0.tags.0.name", `[["https://a.example/"],1,"News","News"]`)
	ben.get(t, "/imports").wantValue(t, "*.id", `[]`)
	ben.get(t, "/imports/1").wantError(t, 404, "Not found.")
	ben.post(t, "/imports/1/undo", "").wantError(t, 404, "Not found.")
	ann.post(t, "/imports/1/undo", "").wantValue(t, "state undone", `["undone",1]`)
	ann.post(t, "/imports/1/undo", "").wantValue(t, "state undone", `["undone",1]`)
	ann.get(t, "/links").wantValue(t, "total", `0`)
}

func TestFileThatCannotBeImportedIsRefused(t *testing.T) {
	s := newTestServer(t, func(c *config.API) { c.MaxImport = 1000 })
	ann := s.addUser(t, "ann")
	ann.post(t, "/imports", "").wantFieldErrors(t, "file: The file could not be read: the file is empty")
	ann.post(t, "/imports?folders=trees", "https://a.example/").wantFieldErrors(t, "folders: The selected folders is invalid.")
	ann.post(t, "/imports?visibility=7", "https://a.example/").wantFieldErrors(t, "visibility: The selected visibility is invalid.")
	ann.post(t, "/imports", strings.Repeat("https://a.example/\n", 100)).wantError(t, 413, "The body must not be larger than 1000 bytes.")
	ann.get(t, "/imports").wantValue(t, "*.id", `[]`)
}
