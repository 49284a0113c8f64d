// Package bench has Waymark's benchmarks, and what its benchmark programs share:
// generated links and an HTTP client. It is a
// module of its own, so that no part of the product depends on it.
//
// The benchmarks are in this folder; "make bench" runs them. README.md describes them, and
// the environment variables that configure them. The programs are:
//
//	compare.sh COMMIT   compares the working tree with an older commit in one run
//	./peers             compares Waymark with PocketBase, Shiori and memos ("make bench-peers")
//	./load              sends requests to a running server over many connections
//	./seed              fills an empty database with generated links
//	./paint             prints how soon pages of running servers appear in headless Chromium
//
// Run them with "go -C tools/bench run ./load --help" and so on.
package bench
