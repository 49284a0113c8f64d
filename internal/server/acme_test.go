//go:build unix

package server

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/net/dns/dnsmessage"

	"waymark/internal/config"
)

// domain is the name for which the tests get a certificate, at an address of this machine that no other server
// uses.
const domain, domainAddress = "links.example.org", "127.84.43.80"

// Pebble is the small ACME authority of Let's Encrypt. It looks up the name, connects to the server, and gives a
// certificate.
func TestDomainGetsItsCertificate(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles Pebble")
	}
	listenAddress := net.JoinHostPort(domainAddress, httpsPort)
	if l, err := net.Listen("tcp", listenAddress); err != nil { // only root may listen there
		listenAddress = "127.0.0.1:" + freePort(t)
	} else {
		l.Close()
	}
	authority, root := startPebble(t, listenAddress)
	ready, log := startSecure(t, listenAddress, config.TLS{Domain: domain}, authority)
	if ready.URL != "https://"+domain {
		t.Errorf("got the URL %s, want https://%s", ready.URL, domain)
	}
	response, err := secureClient(root(), listenAddress).Get(ready.URL + "/signin")
	check(t, err)
	response.Body.Close()
	if response.StatusCode != http.StatusOK || response.Header.Get("Strict-Transport-Security") != httpsOnly[0] {
		t.Errorf("got %s, %v, want 200 with Strict-Transport-Security", response.Status, response.Header)
	}

	other := secureClient(root(), listenAddress)
	if response, err := other.Get("https://other.example.org/"); err == nil {
		t.Errorf("got %s for another name, want no certificate", response.Status)
	}
	log.wait(t, "host \\\"other.example.org\\\" not configured")
	if host, found := strings.CutSuffix(listenAddress, ":"+httpsPort); found {
		wantRedirect(t, net.JoinHostPort(host, httpPort))
	}
}

// wantRedirect checks the redirect of the server on port 80.
func wantRedirect(t *testing.T, address string) {
	t.Helper()
	response, err := new(http.Transport).RoundTrip(httpRequest(t, "http://"+address+"/links?query=go"))
	check(t, err)
	response.Body.Close()
	if got, want := response.Header.Get("Location"), "https://"+domain+"/links?query=go"; got != want {
		t.Errorf("got %s to %q, want a redirect to %s", response.Status, got, want)
	}
}

func httpRequest(t *testing.T, url string) *http.Request {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	check(t, err)
	return request
}

// startPebble runs Pebble, for which the domain has the address listen. root returns the certificate with which it
// signs.
func startPebble(t *testing.T, listen string) (authority *acme.Client, root func() *x509.Certificate) {
	t.Helper()
	dir := t.TempDir()
	host, port, err := net.SplitHostPort(listen)
	check(t, err)
	tlsPort, err := strconv.Atoi(port)
	check(t, err)
	own := writeCertificate(t, dir, 1, time.Now().Add(time.Hour))
	directory, management := "127.0.0.1:"+freePort(t), "127.0.0.1:"+freePort(t)
	settings, err := json.Marshal(map[string]any{"pebble": map[string]any{
		"listenAddress": directory, "managementListenAddress": management,
		"certificate": filepath.Join(dir, "cert.pem"), "privateKey": filepath.Join(dir, "key.pem"),
		"httpPort": 80, "tlsPort": tlsPort,
	}})
	check(t, err)
	check(t, os.WriteFile(filepath.Join(dir, "pebble.json"), settings, 0o600))
	program := filepath.Join(dir, "pebble")
	build := exec.CommandContext(t.Context(), "go", "build", "-C", "../../tools/release", "-o", program, "github.com/letsencrypt/pebble/v2/cmd/pebble")
	build.Env = append(os.Environ(), "GOWORK=off")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build Pebble: %v\n%s", err, output)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	pebble := exec.CommandContext(ctx, program, "-config", filepath.Join(dir, "pebble.json"), "-dnsserver", serveNames(t, host))
	pebble.Env = append(os.Environ(), "PEBBLE_VA_NOSLEEP=1")
	output := new(lines)
	pebble.Stdout, pebble.Stderr = output, output
	check(t, pebble.Start())
	t.Cleanup(func() {
		cancel()
		pebble.Wait() //nolint:errcheck // it was killed
		if t.Failed() {
			t.Logf("Pebble:\n%s", output.text.String())
		}
	})
	output.wait(t, "Listening on: "+directory)
	pool := x509.NewCertPool()
	pool.AddCert(own)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, DisableKeepAlives: true}}
	return &acme.Client{DirectoryURL: "https://" + directory + "/dir", HTTPClient: client}, func() *x509.Certificate {
		response, err := client.Do(httpRequest(t, "https://"+management+"/roots/0"))
		check(t, err)
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		check(t, err)
		block, _ := pem.Decode(text)
		certificate, err := x509.ParseCertificate(block.Bytes)
		check(t, err)
		return certificate
	}
}

// serveNames is a name server for which each name has the IPv4 address host. Pebble asks it with TCP. It returns its
// own address.
func serveNames(t *testing.T, host string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	ended := make(chan struct{})
	t.Cleanup(func() {
		listener.Close()
		<-ended
	})
	go func() {
		defer close(ended)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			if err := answerName(conn, [4]byte(net.ParseIP(host).To4())); err != nil {
				t.Errorf("name server: %v", err)
			}
		}
	}()
	return listener.Addr().String()
}

// answerName answers the question on a connection. A message has its length before it.
func answerName(conn net.Conn, address [4]byte) error {
	defer conn.Close()
	var length [2]byte
	if _, err := io.ReadFull(conn, length[:]); err != nil {
		return err
	}
	packet := make([]byte, binary.BigEndian.Uint16(length[:]))
	if _, err := io.ReadFull(conn, packet); err != nil {
		return err
	}
	var question dnsmessage.Message
	if err := question.Unpack(packet); err != nil {
		return err
	}
	reply := dnsmessage.Message{Header: dnsmessage.Header{ID: question.ID, Response: true, RecursionAvailable: true}, Questions: question.Questions}
	for _, q := range question.Questions {
		if q.Type == dnsmessage.TypeA {
			header := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}
			reply.Answers = append(reply.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AResource{A: address}})
		}
	}
	packet, err := reply.Pack()
	if err != nil {
		return err
	}
	_, err = conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(packet))), packet...))
	return err
}

// freePort returns a port of the loopback interface that is not in use.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	defer l.Close()
	return fmt.Sprint(l.Addr().(*net.TCPAddr).Port)
}

// check ends the test if there is an error.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
