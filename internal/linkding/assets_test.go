package linkding_test

import (
	"bytes"
	"math/rand/v2"
	"mime/multipart"
	"net/textproto"
	"strings"
	"testing"

	"waymark/internal/httpx"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// upload sends a form with a file first, as SingleFile does.
func (c *client) upload(t *testing.T, path, name, contentType, file, url string, headers ...string) response {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	part, err := w.CreatePart(textproto.MIMEHeader{"Content-Disposition": {`form-data; name="file"; filename="` + name + `"`}, "Content-Type": {contentType}})
	if err == nil {
		_, err = part.Write([]byte(file))
	}
	if err == nil && url != "" {
		err = w.WriteField("url", url)
	}
	if err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	return c.call(t, "POST", path, b.String(), append(headers, "Content-Type: "+w.FormDataContentType())...)
}

func TestSingleFileSavesAPage(t *testing.T) {
	c := newClient(t)
	const url, saved = "https://news.example/1", `{"message":"Snapshot uploaded successfully."}`
	const page = `<!DOCTYPE html><title>Bread</title><script>x()</script><p>`
	save := func(words string) response {
		return c.upload(t, "/api/bookmarks/singlefile/", "page.html", "text/html", page+words, url,
			"Authorization: Bearer "+c.key, "Accept: application/json")
	}
	save("older").wantBody(t, 201, saved)
	save("newer").wantBody(t, 201, saved)
	list := c.get(t, "/api/bookmarks/").want(t, 200)
	if got := list.json(t, "count"); got != `{"count":1}` || !strings.Contains(list.json(t), `"title":"Bread"`) {
		t.Errorf("got %s", list.json(t))
	}
	assets := c.get(t, "/api/bookmarks/1/assets/").want(t, 200)
	if got := assets.json(t); !strings.Contains(got, `"asset_type":"snapshot"`) || !strings.Contains(got, `"count":1`) || !strings.Contains(got, `"content_type":"text/html"`) ||
		!strings.Contains(got, `"status":"complete"`) || !strings.Contains(got, `HTML snapshot from `) {
		t.Errorf("got %s", got)
	}
	file := c.get(t, "/api/bookmarks/1/assets/2/download/")
	if file.status != 200 || file.body != page+"newer" || file.header.Get("Content-Security-Policy") != httpx.FilePolicy || !strings.HasPrefix(file.header.Get("Content-Disposition"), "attachment; ") {
		t.Errorf("got %d %v %s", file.status, file.header, file.body)
	}
	const missing = `{"error":"Both 'url' and 'file' parameters are required."}`
	c.upload(t, "/api/bookmarks/singlefile/", "a.html", "text/html", "<p>", "").wantBody(t, 400, missing)
	c.call(t, "POST", "/api/bookmarks/singlefile/", `{"url":"https://a.example/"}`).wantBody(t, 400, missing)
	c.upload(t, "/api/bookmarks/singlefile/", "a.html", "text/html", "\x89PNG\r\n\x1a\n", url).wantBody(t, 400, `{"error":"The file is not an HTML page."}`)
	c.upload(t, "/api/bookmarks/singlefile/", "a.html", "text/html", "<html><!--PK\x03\x04", url).
		wantBody(t, 400, `{"error":"The file is a page in a ZIP file. Choose the file format HTML in the options of SingleFile."}`)
	adds := c.addKey(t, c.user, waymark.AccessAdd)
	adds.upload(t, "/api/bookmarks/singlefile/", "a.html", "text/html", "<p>", url).want(t, 403)
	adds.upload(t, "/api/bookmarks/singlefile/", "a.html", "text/html", "<p>", "https://new.example/").want(t, 201)
}

func TestAssetsAreStoredAndOnlyDownloaded(t *testing.T) {
	c := newClient(t)
	c.save(t, `{"url":"https://a.example/"}`)
	const assets = "/api/bookmarks/1/assets/"
	got := c.upload(t, assets+"upload/", "cats.png", "image/png", "meow", "").want(t, 201)
	if text := got.json(t, "id", "bookmark", "file_size", "asset_type", "content_type", "display_name", "status"); text !=
		`{"asset_type":"upload","bookmark":1,"content_type":"image/png","display_name":"cats.png","file_size":4,"id":1,"status":"complete"}` {
		t.Errorf("got %s", text)
	}
	c.get(t, assets+"1/").wantBody(t, 200, got.json(t))
	c.upload(t, assets+"upload/", "evil.html", "text/html", "<script>x()</script>", "").want(t, 201)
	for path, want := range map[string]string{"1/download/": "meow", "2/download": "<script>x()</script>"} {
		file := c.get(t, assets+path)
		if file.status != 200 || file.body != want || !strings.HasPrefix(file.header.Get("Content-Disposition"), `attachment; filename="`) ||
			file.header.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(file.header.Get("Content-Security-Policy"), "sandbox") {
			t.Errorf("got %d %v %q", file.status, file.header, file.body)
		}
	}
	if page := c.get(t, assets+"?limit=1").want(t, 200); page.json(t, "count", "next") != `{"count":2,"next":"`+c.url+assets+`?limit=1\u0026offset=1"}` && page.json(t, "count", "next") != `{"count":2,"next":"`+c.url+assets+`?limit=1&offset=1"}` {
		t.Errorf("got %s", page.json(t))
	}
	c.call(t, "POST", assets+"upload/", "").wantBody(t, 400, `{"error":"No file provided."}`)
	random := make([]byte, assetQuota+1)
	for i := range random {
		random[i] = byte(rand.Uint32())
	}
	c.upload(t, assets+"upload/", "a", "", string(random), "").wantBody(t, 400, `{"error":"The file does not fit the space for your snapshots and attachments."}`)

	eve := c.addUser(t, "eve")
	eve.save(t, `{"url":"https://b.example/"}`)
	for _, path := range []string{"/api/bookmarks/1/assets/", "/api/bookmarks/1/assets/1/", "/api/bookmarks/1/assets/1/download/", "/api/bookmarks/2/assets/1/", "/api/bookmarks/2/assets/9/download/"} {
		eve.get(t, path).want(t, 404)
	}
	eve.upload(t, assets+"upload/", "a", "", "a", "").want(t, 404)
	eve.call(t, "DELETE", assets+"1/", "").want(t, 404)
	c.addKey(t, c.user, waymark.AccessRead).call(t, "DELETE", assets+"1/", "").want(t, 403)
	c.call(t, "DELETE", assets+"1/", "").want(t, 204)
	c.get(t, assets+"1/").wantBody(t, 404, `{"detail":"No BookmarkAsset matches the given query."}`)
	if all, err := c.store.Snapshots.Attachments(t.Context(), c.user.ID, 1); err != nil || len(all) != 1 {
		t.Errorf("got %v, error %v", all, err)
	}
	if _, err := storetest.FullHTML(t, c.store, c.user.ID, 1); err == nil {
		t.Error("an attachment is shown as a page")
	}
}
