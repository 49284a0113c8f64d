package waymark

import "testing"

func TestLinkableURLs(t *testing.T) {
	for _, url := range []string{
		"https://go.dev/",
		"HTTP://GO.DEV",
		"http://user@go.dev:8080/a?b#c",
		"http://[2001:db8::1]/",
		"https://go.dev/?next=javascript:alert(1)",
		"https://münchen.example/straße",
		"ftp://ftp.example.org/a.txt",
		"mailto:ann@example.org?subject=Hi",
		"tel:+43123",
		"magnet:?xt=urn:btih:c12fe1c06bba254a9dc9f519b335aa7c1367a88a",
		"xmpp:ann@example.org",
		"geo:48.2,16.37",
	} {
		if !Linkable(url) {
			t.Errorf("%q is not linkable", url)
		}
	}
}

var notLinkable = []string{
	// Scripts, in spellings that browsers or HTML parsers undo.
	"javascript:alert(1)",
	"JaVaScRiPt:alert(1)",
	" javascript:alert(1)",
	"\tjavascript:alert(1)",
	"\x01javascript:alert(1)",
	"java\tscript:alert(1)",
	"java\nscript:alert(1)",
	"java\rscript:alert(1)",
	"java\x00script:alert(1)",
	"javascript\t:alert(1)",
	"javascript&#58;alert(1)",
	"javascript&colon;alert(1)",
	"&#106;avascript:alert(1)",
	"java&#x0A;script:alert(1)",
	"javascript%3Aalert(1)",
	"%6aavascript:alert(1)",
	"jav\u200bascript:alert(1)",
	"\ufeffjavascript:alert(1)",
	"\u202ejavascript:alert(1)",
	"ｊavascript:alert(1)",
	"javascript：alert(1)",
	"livescript:alert(1)",
	"mocha:alert(1)",
	"vbscript:msgbox(1)",
	"data:text/html,<script>alert(1)</script>",
	"DATA:text/html;base64,PHNjcmlwdD4=",
	// A URL within the URL.
	"view-source:https://go.dev/",
	"view-source:javascript:alert(1)",
	"feed:https://go.dev/feed",
	"feed:javascript:alert(1)",
	"pcast:https://go.dev/feed",
	"blob:https://go.dev/0b7d",
	"filesystem:https://go.dev/temporary/a.html",
	"jar:https://go.dev/a.jar!/a.html",
	"wyciwyg://0/https://go.dev/",
	"intent://go.dev/#Intent;scheme=https;end",
	"https:javascript:alert(1)",
	// The local machine, the browser, and programs that take commands.
	"file:///etc/passwd",
	"FILE:///etc/passwd",
	"about:blank",
	"chrome://settings/",
	"chrome-extension://abc/page.html",
	"moz-extension://abc/page.html",
	"resource://gre/",
	"res://ieframe.dll/",
	"ms-msdt:/id",
	"search-ms:query=a",
	"shell:startup",
	"smb://server/share",
	"ssh://-oProxyCommand=calc/x",
	"vscode://file/etc/passwd",
	"steam://run/1",
	"ws://go.dev/",
	"mhtml:file://C:/a.mht",
	// No URL at all.
	"",
	":",
	"https:",
	"https://",
	"https:///go.dev",
	"http:\\\\go.dev",
	"https://go.dev/a b",
	"https://go.dev/\x00",
	"https://go.dev/\xff",
	"mailto:",
	"go.dev",
	"//go.dev/",
	"/links",
	"?a:b",
	"1https://go.dev/",
}

func TestURLsThatAreNotLinkable(t *testing.T) {
	for _, url := range notLinkable {
		if Linkable(url) {
			t.Errorf("%q is linkable", url)
		}
	}
}

func TestHostsOfURLsHaveTheirPortUnlessItIsTheDefault(t *testing.T) {
	for url, want := range map[string]string{
		"http://NAS:8080/photos": "nas:8080", "http://nas/": "nas", "http://nas:80/": "nas", "https://nas:80/": "nas:80", "https://ann:secret@nas:443?q": "nas",
		"http://[::1]:9090/": "[::1]:9090", "http://[::1]/": "[::1]", "http://nas:/": "nas", "http://nas:port/": "", "mailto:a@b.example": "", "nas:8080": "",
	} {
		if got := HostWithPort(url); got != want {
			t.Errorf("%s: got %q, want %q", url, got, want)
		}
	}
}
