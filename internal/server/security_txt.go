package server

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"waymark/internal/httpx"
	"waymark/internal/waymark"
)

// securityTxtPath is the path that RFC 9116 defines for the file that says where to report
// vulnerabilities.
const securityTxtPath = "/.well-known/security.txt"

// securityTxtValid is how long a reader of the file may rely on it. RFC 9116 recommends less
// than a year.
const securityTxtValid = 30 * 24 * time.Hour

// securityTxt responds with the file of RFC 9116.
func (rt *router) securityTxt(w http.ResponseWriter, r *http.Request) {
	httpx.SetRoute(r.Context(), securityTxtPath, waymark.User{})
	if !allowGET(w, r) {
		return
	}
	var file strings.Builder
	fmt.Fprintf(&file, "Contact: %s\n", rt.contact)
	fmt.Fprintf(&file, "Expires: %s\n", time.Now().UTC().Truncate(24*time.Hour).Add(securityTxtValid).Format(time.RFC3339))
	if base := rt.base.String(); strings.HasPrefix(base, "https://") {
		fmt.Fprintf(&file, "Canonical: %s%s\n", base, securityTxtPath)
	}
	httpx.WriteBody(w, http.StatusOK, "text/plain; charset=utf-8", []byte(file.String()))
}
