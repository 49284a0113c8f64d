package main

import (
	"context"
	"time"
)

// program is a program that stores links. It translates operations to its own API.
type program interface {
	about() about

	// prepare runs before the server starts, with an empty data folder.
	prepare(ctx context.Context, s *server, links []link) error
	// command returns the arguments and the environment of the server.
	command(s *server) (arguments, environment []string)
	// load creates a user, sets the server's key, and stores the links, one by one at
	// most until the time. It returns the ids that the program gave the links.
	load(ctx context.Context, s *server, links []link, until time.Time) (ids []string, err error)

	get(id string) request
	page(number int) request
	search(text string) request
	tagPage(tag string) request
	create(l link) request
	update(id string, l link) request
	remove(id string) request

	// created returns the id of the link in the response to create.
	created(response []byte) (string, error)
	// total returns the total in the response to search, or what it has instead.
	total(response []byte) (string, error)
}

// about describes a program.
type about struct {
	name    string
	version string // of the module, or the commit of Waymark; "" for the working tree
	module  string // Go module; "" for Waymark
	target  string // Go package that is built
	ready   string // path of a request that succeeds once the server has started
	loading string // how it is given the links
	noSync  bool   // it responds to writes before they are on the disk, as strace shows

	// differs says for kinds of operations how the program's work differs from
	// Waymark's.
	differs map[kind]string
	// differsIfEmpty is the same for searches that find nothing.
	differsIfEmpty string
}

// request is an HTTP request.
type request struct {
	method, path string
	body         []byte
}

// pageSize is the number of links on a page, where the program can choose it.
const pageSize = 24

// kind is a kind of operation.
type kind string

const (
	getKind    kind = "get"
	pageKind   kind = "page"
	searchKind kind = "search"
	tagKind    kind = "tag"
	createKind kind = "create"
	updateKind kind = "update"
	deleteKind kind = "delete"
)
