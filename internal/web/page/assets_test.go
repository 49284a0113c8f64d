package page

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"waymark/internal/httpx"
)

func loadTestAssets(t *testing.T) *httpx.Assets {
	t.Helper()
	assets, err := httpx.LoadAssets(os.DirFS("static"))
	check(t, err)
	return assets
}

// kB is the unit of the limits for what a browser loads.
const kB = 1024

func TestSheetAndScriptsAreSmall(t *testing.T) {
	assets := loadTestAssets(t)
	size := func(name string) int {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("Accept-Encoding", "gzip")
		w := httptest.NewRecorder()
		assets.Handler(name).ServeHTTP(w, r)
		return w.Body.Len()
	}
	sheet, own, scripts := size("waymark.css"), size("waymark.js"), size("waymark.js")+size("htmx.min.js")
	t.Logf("gzipped: sheet %d bytes, own script %d, all scripts %d", sheet, own, scripts)
	if sheet > 20*kB || own > 14*kB || scripts > 27*kB {
		t.Error("want at most 20 kB, 14 kB and 27 kB")
	}
}

func TestAllIconsOfTheTemplatesExist(t *testing.T) {
	templates, err := filepath.Glob("templates/*.html")
	check(t, err)
	for _, name := range templates {
		body, err := os.ReadFile(name)
		check(t, err)
		for _, match := range regexp.MustCompile(`icon "([^"]+)"`).FindAllStringSubmatch(string(body), -1) {
			if icon(match[1]) == "" {
				t.Errorf("%s: there is no icon %q: add it to scripts/web_assets.sh", name, match[1])
			}
		}
	}
}

func TestEachTemplateIsDefinedOnce(t *testing.T) {
	templates, err := filepath.Glob("templates/*.html")
	check(t, err)
	files := map[string]string{}
	for _, file := range templates {
		body, err := os.ReadFile(file)
		check(t, err)
		for _, match := range regexp.MustCompile(`\{\{define "([^"]+)"`).FindAllStringSubmatch(string(body), -1) {
			if name := match[1]; name != "main" && files[name] != "" {
				t.Errorf("%s and %s define %q: all pages share one set of templates", files[name], file, name)
			} else {
				files[name] = file
			}
		}
	}
}
