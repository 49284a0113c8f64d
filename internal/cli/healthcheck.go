package cli

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"waymark/internal/config"
)

type healthcheckCommand struct {
	Listen  string        `help:"Address of the server, as in --listen of \"waymark serve\"." default:"127.0.0.1:8080" env:"WAYMARK_LISTEN"`
	TLS     config.TLS    `embed:""`
	Timeout time.Duration `help:"Maximum time to wait for the response." default:"5s"`
}

func (*healthcheckCommand) Help() string {
	return `Exits with 0 if the server responds on /healthz; otherwise prints the reason and exits with 1.

    HEALTHCHECK CMD ["waymark", "healthcheck"]`
}

func (c *healthcheckCommand) Run() error {
	ctx, cancel := context.WithTimeout(context.Background(), c.Timeout)
	defer cancel()
	c.Listen = c.TLS.ListenAddress(c.Listen)
	scheme := "http"
	if c.TLS.Enabled() {
		scheme = "https"
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, scheme+"://localhost/healthz", nil)
	if err != nil {
		return err
	}
	// The address may mean all interfaces (:8080); the system connects it to the machine itself.
	// Proxies of the environment are not used.
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, c.Listen)
	}
	// The server is this machine's. Its certificate is for another name.
	secure := &tls.Config{ServerName: c.TLS.Domain, InsecureSkipVerify: true} //nolint:gosec // see above
	response, err := (&http.Transport{DialContext: dial, DisableKeepAlives: true, TLSClientConfig: secure}).RoundTrip(request)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("no response from %s within %s", c.Listen, c.Timeout)
	case err != nil:
		return fmt.Errorf("no response from %s: %w", c.Listen, err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 1000))
	if err != nil {
		return fmt.Errorf("read the response of %s: %w", c.Listen, err)
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the server at %s is not healthy: %s %s", c.Listen, response.Status, strings.TrimSpace(string(body)))
	}
	return nil
}
