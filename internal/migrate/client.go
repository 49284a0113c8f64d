package migrate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"waymark/internal/fetch"
)

const (
	maxResponse    = 64 << 20 // bytes
	requestTimeout = 2 * time.Minute
	maxRetryWait   = time.Hour // even if the server asks for more
)

// Client sends GET requests to the API of another program.
type Client struct {
	URL           string // of the program, as ParseURL returns it
	Authorization string // the value of the header
	Version       string // of Waymark, for the header User-Agent

	// Waiting is called before the client waits for the server's permission (429); nil for none.
	Waiting func(wait time.Duration)
}

// StatusError is the error for a response whose status is neither 200 nor a redirect.
type StatusError struct {
	URL    string
	Status int
}

func (e *StatusError) Error() string {
	switch e.Status {
	case http.StatusUnauthorized:
		return e.URL + " does not accept the key: check --key"
	case http.StatusForbidden:
		return e.URL + ": the key does not permit reading this (403)"
	}
	return fmt.Sprintf("%s responded with %d %s", e.URL, e.Status, http.StatusText(e.Status))
}

// isNotFound reports whether err is a *StatusError with status 404.
func isNotFound(err error) bool {
	status, ok := errors.AsType[*StatusError](err)
	return ok && status.Status == http.StatusNotFound
}

// ParseURL returns the URL of a program without slashes at the end. It returns an error unless text
// is an http or https URL with a host and without credentials and parameters.
func ParseURL(text string) (string, error) {
	u, err := url.Parse(strings.TrimRight(strings.TrimSpace(text), "/"))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.RawQuery != "" || u.User != nil {
		return "", fmt.Errorf("invalid URL %q: use for example https://links.example.org", text)
	}
	return u.String(), nil
}

// samePageError is for a page that repeats earlier ones: entities would be missing.
func samePageError(path string, c *Client) error {
	return fmt.Errorf("%s/%s sends the same entities for two pages: check whether a proxy or cache before it ignores the parameters of requests", c.URL, path)
}

// get decodes the response to a request, which it sends again after a 429.
func (c *Client) get(ctx context.Context, path string, into any) error {
	for {
		text, wait, err := c.attempt(ctx, path)
		if err != nil {
			return err
		}
		if wait == 0 {
			if err := json.Unmarshal(text, into); err != nil {
				return fmt.Errorf("%s/%s: the response is not what its API describes: %w", c.URL, path, err)
			}
			return nil
		}
		if c.Waiting != nil {
			c.Waiting(wait)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}

// attempt sends one request. wait is zero, or the time after which the server permits the request.
func (c *Client) attempt(ctx context.Context, path string) (text []byte, wait time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	requestURL := c.URL + "/" + path
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, requestURL, nil)
	if err != nil {
		return nil, 0, err
	}
	request.Header.Set("Authorization", c.Authorization)
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "Waymark/"+c.Version)
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	if err != nil {
		return nil, 0, err
	}
	defer response.Body.Close()
	switch status := response.StatusCode; {
	case status >= 300 && status < 400:
		// The key must not be sent to another server.
		return nil, 0, fmt.Errorf("%s redirects to %s: use the URL to which it redirects, or check the key", requestURL, response.Header.Get("Location"))
	case status == http.StatusTooManyRequests:
		return nil, max(time.Second, fetch.RetryAfter(response.Header, time.Now(), maxRetryWait)), nil
	case status != http.StatusOK:
		return nil, 0, &StatusError{requestURL, status}
	}
	text, err = io.ReadAll(io.LimitReader(response.Body, maxResponse+1))
	if err == nil && len(text) > maxResponse {
		err = fmt.Errorf("%s: the response is larger than %d MiB", requestURL, maxResponse>>20)
	}
	return text, 0, err
}
