// Package web serves Waymark's pages: HTML that works without scripts, and better with
// them. A handler reads from the store or calls a use case of the service, and renders a
// template or redirects. Templates and sentences are in package page, which all pages use.
package web

import "waymark/internal/web/page"

// New returns the handler of all pages.
func New(options page.Options) (*page.Site, error) { return page.New(options, routes, newSidebar) }
