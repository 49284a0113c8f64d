// Package bench is for those who work on Waymark: it makes collections of any
// size, and its benchmarks and programs tell how fast and how small Waymark is with
// them. Nothing in the product imports it.
//
//	go run ./internal/measure/seed       fills a store with made-up links
//	go run ./internal/measure/realinput  sends real links to a server and counts what comes back
//
// The benchmarks are in this folder; make bench runs them.
package bench
