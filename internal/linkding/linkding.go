// Package linkding implements the REST API of linkding, as of version 1.46, so that the apps and extensions
// for linkding work with Waymark: the paths below /api that package api does not have, /health, and the
// feeds. A bookmark is a link of the user's, with the oldest of the owner's notes on it. The responses have
// the form and the statuses of linkding, and for errors of fields its sentences.
package linkding

import (
	"log/slog"

	"waymark/internal/config"
	"waymark/internal/crawl"
	"waymark/internal/rest"
	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/transfer"
)

// Version is the version of linkding whose API this is. Clients ask for it before they use a feature.
const Version = "1.46.2"

// API handles the requests of clients for linkding.
type API struct{ Options }

// Options are the parts of the server that the API uses.
type Options struct {
	Service  *service.Service
	Crawler  *crawl.Crawler
	Uploads  *transfer.Uploads // receives the files that clients send
	Store    *store.Store
	Settings config.API
	Guard    rest.Guard // shared with the other APIs
	Log      *slog.Logger
}

type (
	handler = rest.Handler[*API]
	route   = rest.Route[*API]
)
