package server_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"testing"
	"time"

	"waymark/internal/server"
)

// TestChangesOfOtherProcessesAreInTheLog changes users as a command does, while the server
// runs.
func TestChangesOfOtherProcessesAreInTheLog(t *testing.T) {
	s := settings(t)
	reader, writer := io.Pipe()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		ended <- server.Run(ctx, "v1.2.3", s, slog.New(slog.NewJSONHandler(writer, nil)), func(server.Ready) { newKey(t, s) })
		writer.Close()
	}()
	var events []string
	lines := json.NewDecoder(reader)
	for {
		var line struct{ Msg, Event, User, Key, Detail, At string }
		if err := lines.Decode(&line); err != nil {
			break
		}
		if line.Msg != "audit" {
			continue
		}
		events = append(events, line.Event)
		switch line.Event {
		case "user added":
			if line.User != "ann" || line.Key != "" || line.At == "" {
				t.Errorf("got %+v, want ann and a time", line)
			}
		case "API key added":
			if line.User != "ann" || line.Key != "test" || line.Detail != "full access" {
				t.Errorf("got %+v, want the key of ann", line)
			}
			cancel() // the log is read to its end
		}
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if len(events) != 2 {
		t.Errorf("got events %q, want two", events)
	}
}
