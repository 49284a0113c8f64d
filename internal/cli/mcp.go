package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

type mcpCommand struct {
	URL string `help:"URL of the server." required:"" placeholder:"URL"`
	Key apiKey `help:"API key. Set the variable instead: other users of this machine can see flags." hidden:"" env:"WAYMARK_KEY"`
}

// apiKey is a secret that is never printed.
type apiKey string

func (*mcpCommand) Help() string {
	return `Connects an assistant that runs a program instead of opening a URL. It passes the messages on standard
input, one on each line, to the server, and prints the answers. It ends with its input. The API key
is in the environment variable WAYMARK_KEY:

    WAYMARK_KEY=wm_... waymark mcp --url https://links.example.org`
}

func (c *mcpCommand) Run(t *terminal) error {
	if c.Key == "" {
		return usageError{errors.New("no API key: set the environment variable WAYMARK_KEY")}
	}
	ctx, stop := untilInterrupted(context.Background())
	defer stop()
	server := assistantServer{url: strings.TrimSuffix(c.URL, "/") + "/mcp", key: string(c.Key)}
	lines := bufio.NewScanner(t.in)
	lines.Buffer(nil, maxMessage)
	for lines.Scan() {
		message := bytes.TrimSpace(lines.Bytes())
		if len(message) == 0 {
			continue
		}
		answer := server.send(ctx, message)
		if ctx.Err() != nil {
			return nil
		}
		if len(answer) == 0 {
			continue
		}
		if _, err := t.out.Write(append(answer, '\n')); err != nil {
			return err
		}
	}
	return lines.Err()
}

// maxMessage is the maximum size of a message, in bytes.
const maxMessage = 16 << 20

// assistantServer is a server to which the messages of an assistant are passed.
type assistantServer struct {
	url, key string
	version  string // of the protocol, once initialize has agreed on one
}

// messageHead are the parts of a message that its request repeats as headers.
type messageHead struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name string `json:"name"`
		Meta struct {
			Version string `json:"io.modelcontextprotocol/protocolVersion"`
		} `json:"_meta"`
	} `json:"params"`
}

// send returns the answer to a message on one line, nothing for a message without an id.
func (s *assistantServer) send(ctx context.Context, message []byte) []byte {
	var head messageHead
	if err := json.Unmarshal(message, &head); err != nil {
		return errorAnswer(nil, -32700, "the line is not a JSON object: "+err.Error())
	}
	answer, err := s.post(ctx, message, head)
	if err != nil {
		if head.ID == nil {
			return nil
		}
		return errorAnswer(head.ID, -32000, err.Error())
	}
	var initialized struct {
		Result struct {
			Version string `json:"protocolVersion"`
		} `json:"result"`
	}
	if head.Method == "initialize" && json.Unmarshal(answer, &initialized) == nil {
		s.version = initialized.Result.Version
	}
	return answer
}

func (s *assistantServer) post(ctx context.Context, message []byte, head messageHead) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(message))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+s.key)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	version := head.Params.Meta.Version
	if version == "" {
		version = s.version
	}
	if version != "" {
		r.Header.Set("Mcp-Protocol-Version", version)
		r.Header.Set("Mcp-Method", head.Method)
		if head.Params.Name != "" {
			r.Header.Set("Mcp-Name", head.Params.Name)
		}
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	var line bytes.Buffer
	var isAnswer struct {
		Version string `json:"jsonrpc"`
	}
	switch {
	case len(body) == 0 && response.StatusCode < http.StatusMultipleChoices:
		return nil, nil
	case json.Compact(&line, body) != nil || json.Unmarshal(body, &isAnswer) != nil || isAnswer.Version == "":
		return nil, fmt.Errorf("the server at %s responded with %s: %s", s.url, response.Status, strings.TrimSpace(string(body[:min(len(body), 500)])))
	}
	return line.Bytes(), nil
}

// errorAnswer returns an answer with an error. A message that cannot be read has no id.
func errorAnswer(id json.RawMessage, code int, text string) []byte {
	answer, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": text}}) // it can always be encoded
	return answer
}
