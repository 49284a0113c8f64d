package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"waymark/internal/rest"
	"waymark/internal/waymark"
)

// tool is one that assistants can call. Its description and schema are read with each conversation: keep them short.
type tool struct {
	name        string
	access      waymark.Access
	hints       sdk.ToolAnnotations
	description string
	properties  string   // of the JSON schema of the arguments
	required    []string // names of arguments
	call        func(context.Context, *API, caller, json.RawMessage) (any, error)
}

// on returns the function that decodes the arguments of a tool and calls it.
func on[In, Out any](do func(*API, context.Context, caller, In) (Out, error)) func(context.Context, *API, caller, json.RawMessage) (any, error) {
	return func(ctx context.Context, a *API, c caller, arguments json.RawMessage) (any, error) {
		var in In
		if len(arguments) > 0 {
			d := json.NewDecoder(bytes.NewReader(arguments))
			d.DisallowUnknownFields()
			err := d.Decode(&in)
			wrong, ok := errors.AsType[*json.UnmarshalTypeError](err)
			if ok && wrong.Field == "" {
				return nil, refusal("The arguments must be an object.")
			}
			if ok {
				return nil, refusef("The argument %s cannot be a %s.", wrong.Field, wrong.Value)
			}
			if err != nil {
				return nil, refusal("The arguments are not those of the tool: " + strings.TrimPrefix(err.Error(), "json: ") + ".")
			}
		}
		return do(a, ctx, c, in)
	}
}

var (
	no      = false
	reads   = sdk.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: &no}
	adds    = sdk.ToolAnnotations{DestructiveHint: &no, OpenWorldHint: &no}
	changes = sdk.ToolAnnotations{DestructiveHint: &no, IdempotentHint: true, OpenWorldHint: &no}
	removes = sdk.ToolAnnotations{DestructiveHint: new(true), OpenWorldHint: &no}
)

const (
	idsSchema   = `"ids":{"type":"array","items":{"type":["string","integer"]},"maxItems":`
	namesSchema = `{"type":"array","items":{"type":"string"}}`
	newTags     = `"new_tags":{"type":"boolean","description":"create tags that do not exist; otherwise they are an error"}`
)

var tools = []tool{
	{
		name: "search", access: waymark.AccessRead, hints: reads, call: on((*API).search),
		description: `Search the links. Without a query: all, the newest first.
Words must all occur in the URL, title, description, tags or lists: docker compose. Also "a phrase", a OR b, -not, (a group).
#tag  #"two words"  list:Name  list:Above/Name  site:example.org  title:x  url:x  note:x  passage:x
is:unread archived favorite broken dead moved unfiled untagged duplicate noted private public, as in -is:private
before:2026-11  after:30d  on:2025 (saved)  -changed:1y (not edited for a year)
word in:snapshot also searches the texts of saved pages.`,
		properties: `"query":{"type":"string"},"order":{"enum":["best","newest","oldest"]},"limit":{"type":"integer","minimum":1,"maximum":50,"default":20},"cursor":{"type":"string","description":"of the result before"}`,
	}, {
		name: "fetch", access: waymark.AccessRead, hints: reads, call: on((*API).fetch), required: []string{"id"},
		description: "One link with its note and the text of its saved page, 8,000 characters from offset on.",
		properties:  `"id":{"type":["string","integer"]},"offset":{"type":"integer","minimum":0,"description":"next_offset of the result before"}`,
	}, {
		name: "lists", access: waymark.AccessRead, hints: reads, call: on((*API).lists),
		description: "The person's lists with their paths and numbers of links.",
	}, {
		name: "tags", access: waymark.AccessRead, hints: reads, call: on((*API).tags),
		description: "The person's tags, those with most links first.",
		properties:  `"query":{"type":"string","description":"a part of the name"}`,
	}, {
		name: "counts", access: waymark.AccessRead, hints: reads, call: on((*API).counts),
		description: "How many links are unread, untagged, unfiled, broken, moved or duplicates: what to tidy.",
	}, {
		name: "save", access: waymark.AccessAdd, hints: adds, call: on((*API).save), required: []string{"url"},
		description: "Save a link. One that is there already is not changed.",
		properties:  `"url":{"type":"string"},"title":{"type":"string","description":"default: that of the page"},"tags":` + namesSchema + `,"list":{"type":"string","description":"id, path or name of a list"},"note":{"type":"string"},` + newTags,
	}, {
		name: "update", access: waymark.AccessFull, hints: changes, call: on((*API).update), required: []string{"ids"},
		description: "Change up to 100 of the person's links, all or none.",
		properties:  idsSchema + `100},"add_tags":` + namesSchema + `,"remove_tags":` + namesSchema + `,"add_list":{"type":"string"},"remove_list":{"type":"string"},"unread":{"type":"boolean"},"archived":{"type":"boolean"},"title":{"type":"string","description":"of one link"},"note":{"type":"string","description":"of one link; replaces the note"},` + newTags,
	}, {
		name: "merge_tags", access: waymark.AccessFull, hints: removes, call: on((*API).mergeTags), required: []string{"from", "into"},
		description: "Give all links with one of some tags another tag instead. The former tags go to the trash.",
		properties:  `"from":` + namesSchema + `,"into":{"type":"string"}`,
	}, {
		name: "trash", access: waymark.AccessFull, hints: removes, call: on((*API).trash), required: []string{"ids"},
		description: "Move up to 20 of the person's links to the trash.",
		properties:  idsSchema + `20}`,
	}, {
		name: "undo", access: waymark.AccessFull, hints: changes, call: on((*API).undo), required: []string{"token"},
		description: "Undo one change with the token that it returned.",
		properties:  `"token":{"type":"string"}`,
	},
}

// definition returns the tool as the SDK lists it.
func (t tool) definition() *sdk.Tool {
	schema := `{"type":"object","additionalProperties":false,"properties":{` + t.properties + `}`
	if len(t.required) > 0 {
		schema += `,"required":["` + strings.Join(t.required, `","`) + `"]`
	}
	hints := t.hints
	return &sdk.Tool{Name: t.name, Description: t.description, Annotations: &hints, InputSchema: json.RawMessage(schema + "}")}
}

// handler returns the function of the SDK for a tool. Errors are results, because assistants can mend what they have done.
func (a *API) handler(t tool) sdk.ToolHandler {
	return func(ctx context.Context, r *sdk.CallToolRequest) (result *sdk.CallToolResult, _ error) {
		c := ctx.Value(callerKey{}).(caller) // serve sets it
		ctx = c.request.Context()
		defer func() {
			if p := recover(); p != nil { // it would end the server: the SDK calls tools in goroutines of its own
				result = a.failed(ctx, fmt.Errorf("tool %s: panic: %v\n%s", t.name, p, debug.Stack()))
			}
		}()
		out, err := t.call(ctx, a, c, r.Params.Arguments)
		if err != nil {
			return a.failed(ctx, err), nil
		}
		var text strings.Builder
		e := json.NewEncoder(&text)
		e.SetEscapeHTML(false)
		if err := e.Encode(out); err != nil {
			return a.failed(ctx, err), nil
		}
		structured := strings.TrimSpace(text.String())
		return &sdk.CallToolResult{StructuredContent: json.RawMessage(structured), Content: []sdk.Content{&sdk.TextContent{Text: structured}}}, nil
	}
}

// refusal is an error that says what an assistant can do about it.
type refusal string

func (r refusal) Error() string { return string(r) }

func refusef(format string, values ...any) error { return refusal(fmt.Sprintf(format, values...)) }

// failed returns the result for an error. Errors of the server are logged here, and their text is never sent.
func (a *API) failed(ctx context.Context, err error) *sdk.CallToolResult {
	var refused refusal
	var invalid *waymark.ValidationError
	switch {
	case errors.As(err, &refused):
	case errors.As(err, &invalid):
		refused = refusal("Nothing was changed: " + strings.TrimPrefix(invalid.Error(), "invalid input: ") + ".")
	case errors.Is(err, waymark.ErrNotFound), errors.Is(err, waymark.ErrForbidden):
		refused = "The person has no such link."
	case errors.Is(err, waymark.ErrUnavailable), ctx.Err() != nil:
		refused = "The server is too busy. Try again in a few seconds."
	default:
		a.Log.ErrorContext(ctx, "tool failed", "error", err)
		refused = "The server had an error. Its log says more."
	}
	result := &sdk.CallToolResult{}
	result.SetError(refused)
	return result
}

// id is the id of an entity. Assistants send it as a text or as a number.
type id int64

// UnmarshalJSON makes id a json.Unmarshaler.
func (i *id) UnmarshalJSON(value []byte) error {
	n, err := rest.ParseID[waymark.LinkID](strings.Trim(string(value), `"`))
	if err != nil {
		return fmt.Errorf("the id %s is not a number", rest.Excerpt(string(value)))
	}
	*i = id(n)
	return nil
}
