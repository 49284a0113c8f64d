# `make test` runs the quick tests. `make check` runs everything, on a developer's machine and in CI.
# Its steps are targets that can be run alone.

# Git refuses a clone that belongs to another user, unless it is told that the directory is safe.
VERSION := $(shell git -c safe.directory="$(CURDIR)" describe --tags --always --dirty 2>/dev/null || echo dev)
FUZZTIME ?= 1m

# The race detector skips packages that only compute, with which the tests would take ten times as
# long: SQLite and its C library, which are translated from C and do their own locking, the hashing
# of passwords, the parser of HTML, and regular expressions. A package that uses sync.Once or atomics
# cannot be skipped: the race detector would not see what they order, and would report races that do
# not exist. It sees what the pools of regexp order, because their code is in sync.
RACE := -race $(foreach package,modernc.org/sqlite/lib modernc.org/libc modernc.org/memory \
	golang.org/x/crypto/argon2 golang.org/x/net/html github.com/andybalholm/cascadia regexp,-gcflags=$(package)=-race=false)

# The file to which steps append what they skip. make check prints it.
SKIPPED ?= /dev/stderr

# A go.work file is for editing only: the targets below use the modules as they are.
export GOWORK := off

.DEFAULT_GOAL := help
.PHONY: help release packages check test needs format tidy vet lint vulnerabilities document clients fuzz browsers tests race race-all race-bench failover bench bench-peers load build run docs reference screenshots fmt clean

help:
	@echo 'make build    build ./waymark, a static binary'
	@echo 'make run      run Waymark from the sources, with its data in ./data'
	@echo 'make test     the quick tests'
	@echo 'make check    everything that CI runs; it takes tens of minutes'
	@echo 'make fmt      format the Go files'
	@echo 'make bench    benchmarks, then a load test'
	@echo 'make docs     make the documentation site in dist/docs'
	@echo 'make reference  write the documents that are made from the code'
	@echo 'make release VERSION=1.0.0   build everything that a version consists of, in ./dist'
	@echo 'make clean    delete what was built'
	@echo 'CONTRIBUTING.md describes them; the Makefile has the steps of make check.'

check:
	@scripts/check.sh needs format tidy vet lint vulnerabilities document clients packages browsers tests race race-bench

# The packages whose tests take longest are first: as the last ones, they would run alone.
LONGEST := ./internal/cli ./internal/web ./internal/api ./internal/store

# The tests that need no other program and no long time: SQLite, no race detector.
test:
	GOGC=400 go test -short -p 4 $(LONGEST) ./... # those of cli wait for servers most of the time

# The programs that make check needs besides Go and a C compiler.
needs:
	@SKIPPED=$(SKIPPED) scripts/needs.sh

format:
	@unformatted=$$(gofmt -l $$(git ls-files -co --exclude-standard '*.go')) && \
	if [ -n "$$unformatted" ]; then \
		echo "not formatted (run make fmt):"; echo "$$unformatted"; exit 1; \
	fi

tidy:
	@scripts/tidy.sh . tools/bench tools/release tools/docs

vet:
	go vet ./...
	go vet -C tools/bench ./...
	go vet -C tools/docs ./...
	go vet -C tools ./testreport
	go vet -C tools/release ./...

# The linter has its own module, so that its dependencies are not Waymark's. The first
# run builds it, which takes minutes; later runs use Go's cache.
lint:
	go tool -modfile=tools/go.mod golangci-lint run
	cd tools/bench && go tool -modfile=../go.mod golangci-lint run
	cd tools/docs && go tool -modfile=../go.mod golangci-lint run
	cd tools/release && go tool -modfile=../go.mod golangci-lint run

# Known vulnerabilities in the functions that Waymark calls.
vulnerabilities:
	@scripts/vulnerabilities.sh $(SKIPPED)

document:
	@command -v npx >/dev/null || { echo "document: npx is not installed" >>$(SKIPPED); exit 0; }; \
	scripts/npm.sh && cd tools && npx redocly lint --config redocly.yaml ../internal/api/openapi.yaml

# Clients in Go and TypeScript, generated from the API document, work with a real server. It
# takes a minute.
clients:
	@SKIPPED=$(SKIPPED) scripts/clients.sh

# Random inputs: each fuzz target runs for FUZZTIME. make check runs the inputs that failed before.
fuzz:
	scripts/fuzz.sh $(FUZZTIME)

# The tests that start a browser, without the race detector, which would make the pages wait. Three at once, because a
# test waits for the browser or the server half of the time.
BROWSERS := InBrowser|InFirefox
browsers:
	scripts/test.sh . $(SKIPPED) -timeout 30m -parallel 3 -run '$(BROWSERS)' ./internal/web ./internal/api

# All other tests, on SQLite and on a temporary PostgreSQL server. Three packages at once, because those of cli wait most
# of the time.
tests:
	scripts/test.sh . $(SKIPPED) -timeout 30m -p 3 -skip '$(BROWSERS)' $(LONGEST) ./...

# The quick tests of the packages in which goroutines share memory, with the race detector, on SQLite: without CI=true,
# tests skip what they do not find. All tests with it take five times as long: CI runs them each week. Those of the pages
# send one request after the other, so here only those run that request all pages, or at once.
race:
	CI= GOGC=400 go test -short $(RACE) -timeout 30m $(addprefix ./internal/,api store/... transfer service web/page server backup \
		crawl accounts auth database linkding karakeep httpx identity fetch fetch/singlefile)
	CI= GOGC=400 go test -short $(RACE) -timeout 30m -run 'AllPages|OfOthers|Import|Upload|Silent|Waits|Fetched' ./internal/web

race-all:
	scripts/test.sh . $(SKIPPED) $(RACE) -timeout 30m -skip '$(BROWSERS)' $(LONGEST) ./...

race-bench:
	scripts/test.sh tools/bench $(SKIPPED) $(RACE) -timeout 30m ./...

# The tests in which PostgreSQL servers are killed under load, with their counts.
failover:
	go test -count=1 -v -run 'TestFailOver|TestServerStops' ./internal/cli

# Benchmarks in the format of benchstat, then a load test with many connections.
bench:
	go -C tools/bench test -run '^$$' -bench . -benchmem -timeout 0 ./...
	go test -run '^$$' -bench Tree -benchtime 100x ./internal/store
	$(MAKE) load

# Waymark beside PocketBase, Shiori and memos, which it builds from the module proxy.
# WAYMARK_BENCH_WORDS names a file of links (an absolute path); PEERS has more flags, such as
# PEERS="--rounds 3 --for 200ms". It takes ten minutes.
bench-peers:
	go -C tools/bench run ./peers $(PEERS)

# scripts/load.sh describes the variables LINKS, CONNECTIONS, FOR and DATABASE.
load:
	scripts/load.sh

# The version is set here: the go command need not ask Git for it.
build:
	CGO_ENABLED=0 go build -buildvcs=false -trimpath -ldflags '-s -w -X waymark/internal/cli.version=$(VERSION)' -o waymark .

# Programs, packages and images of a version in dist/. docs/releasing.md describes it.
release:
ifneq ($(origin VERSION),command line)
	@echo 'Use make release VERSION=1.0.0' && exit 1
endif
	go -C tools/release run . --version "$(VERSION)" --source "$(CURDIR)" --dist "$(CURDIR)/dist" --key "$(abspath $(MINISIGN_KEY))"

# The program is compiled twice and compared, the packages are installed, upgraded and removed, and the image is
# run. It takes a minute.
packages:
	scripts/test.sh tools/release $(SKIPPED) -timeout 30m ./...

run:
	go run . serve

# A folder of files that needs no server: open dist/docs/index.html. A link that leads nowhere is an error.
docs:
	go -C tools/docs run . --out $(CURDIR)/dist/docs

# The documents that are made from the code: commands, operations of the API, metrics.
reference:
	go test -count=1 -run Reference . ./internal/cli -update

# The pictures of the README, from the links in internal/web/testdata/screenshots.tsv. Needs Chromium.
screenshots:
	WAYMARK_SCREENSHOTS=$(CURDIR)/docs/screenshots go test -count=1 -run TestScreenshotsInBrowser ./internal/web

fmt:
	gofmt -w $$(git ls-files -co --exclude-standard '*.go')

clean:
	rm -rf waymark dist/docs tools/node_modules tools/clients/node_modules tools/clients/generated
