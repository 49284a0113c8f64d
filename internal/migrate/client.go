package migrate

import (
	"cmp"
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

// The limits of a Client.
const (
	// maxResponse is the maximum size of a response in bytes.
	maxResponse = 64 << 20
	// maxAttempts is the maximum number of attempts for a request that fails temporarily.
	maxAttempts = 8
	// maxRetryWait is the maximum time between two attempts, even if the server asks for more.
	maxRetryWait = time.Hour
	// requestTimeout is the maximum time of one attempt.
	requestTimeout = 2 * time.Minute
)

// Client sends GET requests to the API of another program. It repeats requests that fail
// temporarily. Only one goroutine may use a Client.
type Client struct {
	URL           string   // of the program, as ParseURL returns it
	Authorization string   // the value of the header
	Version       string   // of Waymark, for the header User-Agent
	PerMinute     int      // maximum number of requests a minute; 0 for 60
	Journal       *Journal // stores the responses; nil for none

	// Wait waits for d or until ctx ends; nil for the system's clock.
	Wait func(ctx context.Context, d time.Duration) error
	// Retrying is called before the client waits to repeat a request; nil for none.
	Retrying func(reason string, wait time.Duration)

	sent      int       // requests
	responded bool      // the server has responded to a request
	next      time.Time // when the next request may be sent
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

// get decodes the response to a request. A response that is in the journal is not requested again.
func (c *Client) get(ctx context.Context, path string, into any) error {
	text, found, err := c.Journal.find(path)
	if err != nil {
		return err
	}
	if !found {
		if text, err = c.fetch(ctx, path); err != nil {
			return err
		}
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s/%s: the response is not what its API describes: %w", c.URL, path, err)
	}
	if !found {
		return c.Journal.add(path, text)
	}
	return nil
}

// PagesError is the error for a listing whose pages are not those that were requested, so that
// entities would be missing. A journal has the wrong responses too.
type PagesError struct{ text string }

// Error implements error.
func (e *PagesError) Error() string { return e.text }

// samePageError returns the error for a listing of which a page has nothing that earlier ones do not
// have. Without it, the requests could never end.
func samePageError(path string, c *Client) error {
	return &PagesError{fmt.Sprintf("%s/%s sends the same entities for two pages: check whether a proxy or cache before it ignores the parameters of requests", c.URL, path)}
}

// fetch requests a path until there is a response, at most maxAttempts times.
func (c *Client) fetch(ctx context.Context, path string) ([]byte, error) {
	for attempt := 1; ; attempt++ {
		if err := c.pace(ctx); err != nil {
			return nil, err
		}
		text, wait, err := c.attempt(ctx, path)
		switch {
		case err == nil:
			return text, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case wait == 0 || attempt == maxAttempts:
			return nil, err
		}
		wait = min(max(wait, time.Duration(attempt*attempt)*time.Second), maxRetryWait)
		if c.Retrying != nil {
			c.Retrying(err.Error(), wait)
		}
		if err := c.wait(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// pace waits until the next request may be sent.
func (c *Client) pace(ctx context.Context) error {
	now := time.Now()
	if c.sent > 0 && now.Before(c.next) {
		if err := c.wait(ctx, c.next.Sub(now)); err != nil {
			return err
		}
	}
	c.sent++
	c.next = time.Now().Add(time.Minute / time.Duration(cmp.Or(c.PerMinute, 60)))
	return nil
}

func (c *Client) wait(ctx context.Context, d time.Duration) error {
	if c.Wait != nil {
		return c.Wait(ctx, d)
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// attempt sends one request. After an error, wait is the minimum time until the next attempt; it is
// 0 if another attempt would fail too.
func (c *Client) attempt(ctx context.Context, path string) (text []byte, wait time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	address := c.URL + "/" + path
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, 0, err
	}
	request.Header.Set("Authorization", c.Authorization)
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "Waymark/"+c.Version)
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	if err != nil && !c.responded {
		return nil, 0, err // the address is probably wrong
	}
	if err != nil {
		return nil, time.Second, err
	}
	defer response.Body.Close()
	c.responded = true
	switch status := response.StatusCode; {
	case status >= 300 && status < 400:
		// The key must not be sent to another server.
		return nil, 0, fmt.Errorf("%s redirects to %s: use the URL to which it redirects, or check the key", address, response.Header.Get("Location"))
	case status == http.StatusTooManyRequests, status >= 500:
		return nil, max(time.Second, fetch.RetryAfter(response.Header, time.Now(), maxRetryWait)), &StatusError{address, status}
	case status != http.StatusOK:
		return nil, 0, &StatusError{address, status}
	}
	text, err = io.ReadAll(io.LimitReader(response.Body, maxResponse+1))
	if err != nil {
		return nil, time.Second, err
	}
	if len(text) > maxResponse {
		return nil, 0, fmt.Errorf("%s: the response is larger than %d MiB", address, maxResponse>>20)
	}
	return text, 0, nil
}
