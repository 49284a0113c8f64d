package bench

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"
)

// Client is a minimal HTTP/1.1 client. It sends requests over one connection, one after
// the other, and uses little CPU, so that a benchmark on one machine measures the server.
// It understands the responses of Go servers only.
type Client struct {
	conn   net.Conn
	in     *bufio.Reader
	head   string // the request line after the path, and the headers of all requests
	out    []byte
	body   []byte
	buffer []byte
}

// responseTimeout limits the time for a request and its response.
const responseTimeout = 10 * time.Minute

// Dial connects to a server at an address such as 127.0.0.1:8080.
func Dial(ctx context.Context, address, key string) (*Client, error) {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return &Client{
		conn:   conn,
		in:     bufio.NewReaderSize(conn, 32<<10),
		head:   " HTTP/1.1\r\nHost: " + address + "\r\nAuthorization: Bearer " + key + "\r\n",
		buffer: make([]byte, 64<<10),
	}, nil
}

// Close closes the connection.
func (c *Client) Close() error { return c.conn.Close() }

// AddHeader adds a line such as "Accept-Encoding: gzip" to all later requests. The client
// does not uncompress responses.
func (c *Client) AddHeader(line string) { c.head += line + "\r\n" }

// Do sends a request and returns the response, which is valid until the next request.
func (c *Client) Do(method, path string, body []byte) (status int, response []byte, err error) {
	c.body = c.body[:0]
	status, err = c.exchange(method, path, body, func(part []byte) { c.body = append(c.body, part...) })
	return status, c.body, err
}

// Drain sends a GET request, discards the response while it reads it, and returns the
// size of its body.
func (c *Client) Drain(path string) (status int, size int64, err error) {
	status, err = c.exchange("GET", path, nil, func(part []byte) { size += int64(len(part)) })
	return status, size, err
}

func (c *Client) exchange(method, path string, body []byte, receive func([]byte)) (status int, err error) {
	if err := c.conn.SetDeadline(time.Now().Add(responseTimeout)); err != nil {
		return 0, err
	}
	c.out = append(append(append(append(c.out[:0], method...), ' '), path...), c.head...)
	if body != nil {
		c.out = strconv.AppendInt(append(c.out, "Content-Type: application/json\r\nContent-Length: "...), int64(len(body)), 10)
		c.out = append(c.out, "\r\n"...)
	}
	c.out = append(append(c.out, "\r\n"...), body...)
	if _, err := c.conn.Write(c.out); err != nil {
		return 0, err
	}
	status, length, err := c.readHead()
	if err != nil {
		return 0, err
	}
	if length >= 0 {
		return status, c.read(length, receive)
	}
	for {
		line, err := c.readLine()
		if err != nil {
			return status, err
		}
		size, err := strconv.ParseInt(string(line), 16, 64)
		if err != nil {
			return status, fmt.Errorf("chunk size: %w", err)
		}
		if err := c.read(size, receive); err != nil {
			return status, err
		}
		if _, err := c.readLine(); err != nil || size == 0 {
			return status, err
		}
	}
}

// readHead reads the status and the headers. It returns the length of the body, or -1
// for a chunked body.
func (c *Client) readHead() (status int, length int64, err error) {
	line, err := c.readLine()
	if err != nil {
		return 0, 0, err
	}
	if len(line) < len("HTTP/1.1 200") {
		return 0, 0, errors.New("the response is not HTTP")
	}
	if status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return 0, 0, err
	}
	for {
		line, err := c.readLine()
		if err != nil {
			return 0, 0, err
		}
		if len(line) == 0 {
			return status, length, nil
		}
		name, value, _ := bytes.Cut(line, []byte(": "))
		switch string(name) {
		case "Content-Length":
			if length, err = strconv.ParseInt(string(value), 10, 64); err != nil {
				return 0, 0, err
			}
		case "Transfer-Encoding":
			length = -1
		}
	}
}

func (c *Client) readLine() ([]byte, error) {
	line, err := c.in.ReadSlice('\n')
	return bytes.TrimRight(line, "\r\n"), err
}

func (c *Client) read(length int64, receive func([]byte)) error {
	for length > 0 {
		part := c.buffer[:min(length, int64(len(c.buffer)))]
		if _, err := io.ReadFull(c.in, part); err != nil {
			return err
		}
		receive(part)
		length -= int64(len(part))
	}
	return nil
}
