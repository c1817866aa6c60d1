# Rollcall. `make help` lists what there is to do.
SHELL := /bin/bash
# The parts use the machine's few cores, and one another's results.
.NOTPARALLEL:

GO ?= go
TOOL := $(GO) tool -modfile=tools/go.mod
# The benchmarks are a module of their own, in which the same tools are run.
BENCH_TOOL := $(GO) tool -modfile=../tools/go.mod
NPM := scripts/with-node npm
ARTIFACTS := $(CURDIR)/artifacts

# npm writes this file last.
NPM_DONE := node_modules/.package-lock.json
CLIENT := web/client/dist/index.js
CLIENT_SOURCES := $(shell find web/client/src -type f 2>/dev/null) web/client/tsconfig.build.json
PAGE := web/dist/graphiql/index.html
PAGE_SOURCES := $(shell find web/admin web/graphiql -type f -not -path '*/node_modules/*' 2>/dev/null)

.PHONY: help
help: ## List the targets
	@grep -hE '^[a-z][a-z-]*:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "  %-16s %s\n", $$1, $$2 }'

.PHONY: run
run: try-web build ## Build and serve on 127.0.0.1:8080, with everything embedded
	bin/rollcall serve

.PHONY: build
build: ## Build bin/rollcall, with the pages if they are built
	$(GO) build -o bin/rollcall .

.PHONY: web
web: $(CLIENT) $(PAGE) ## Build the client library and the pages (needs Node; installs it where it can)

# The API needs no page, so a machine without Node still serves it.
.PHONY: try-web
try-web:
	@$(MAKE) --no-print-directory web || echo "Going on without the pages." >&2

.PHONY: node
node:
	@scripts/install-deps node

$(CLIENT): web/$(NPM_DONE) $(CLIENT_SOURCES)
	$(NPM) --prefix web run build --workspace client
	@touch $@

$(PAGE): web/$(NPM_DONE) $(CLIENT) $(PAGE_SOURCES)
	$(NPM) --prefix web run build
	@touch $@

web/$(NPM_DONE): web/package.json web/package-lock.json $(wildcard web/*/package.json) | node
	$(NPM) --prefix web ci --no-audit --no-fund
	@touch $@

examples/$(NPM_DONE): examples/package.json examples/package-lock.json | node
	$(NPM) --prefix examples ci --no-audit --no-fund
	@touch $@

.PHONY: test
test: deps lint generated test-web test-browser test-walkthrough test-bench test-go ## Install what the tests need, then run all of them

.PHONY: deps
deps: ## Install what the tests need, where absent
	@scripts/install-deps node cc redis postgres chromium

.PHONY: lint
lint: ## Run the linters (the first time builds them: a minute or two)
	$(TOOL) golangci-lint run ./...
	cd bench && $(BENCH_TOOL) golangci-lint run ./...

.PHONY: format
format: ## Format the Go files
	$(TOOL) golangci-lint fmt
	cd bench && $(BENCH_TOOL) golangci-lint fmt

.PHONY: generate
generate: ## Generate graph/ from schema.graphqls
	$(GO) generate ./...

.PHONY: generated
generated: ## Fail if graph/ is not what schema.graphqls makes
	scripts/generate-diff

.PHONY: test-go
test-go: ## Run the Go tests, with the race detector
	$(TOOL) gotestsum --format pkgname -- -race -timeout 10m ./...

.PHONY: test-bench
test-bench: ## Run each benchmark once, small, for what it checks: bench-quick's, and those of bench/scale
	cd bench && $(BENCH_TOOL) gotestsum --format pkgname -- -race -timeout 10m ./...

.PHONY: test-faults
test-faults: ## Kill, freeze and cut off nodes and Redis, at full size; prints what it measured
	$(GO) test -count=1 -timeout 30m -v ./internal/faults -args -long

.PHONY: test-web
test-web: web ## Check the types of the library and the pages, and run their unit tests
	$(NPM) --prefix web run typecheck
	$(NPM) --prefix web test

.PHONY: test-browser
test-browser: deps web build ## Try the library against a real server, and drive the pages in a real browser; pictures go to artifacts/
	CHROMIUM="$$(scripts/find-chromium)" ROLLCALL_BIN="$(CURDIR)/bin/rollcall" ROLLCALL_ARTIFACTS="$(ARTIFACTS)" $(NPM) --prefix web run test:browser

.PHONY: test-walkthrough
test-walkthrough: build $(CLIENT) examples/$(NPM_DONE) ## Check the examples, and run the walk-through against a server of its own
	$(NPM) --prefix examples run typecheck
	scripts/with-node scripts/walkthrough

.PHONY: bench
bench: deps ## Measure Rollcall next to what it is compared with, in one table (15 minutes, 2 GB; CASE=6 for one of them)
	cd bench && $(GO) run ./cmd/bench $(if $(CASE),--case $(CASE)) --out results/last.md

.PHONY: bench-quick
bench-quick: deps ## Run each of these benchmarks once, small, to check the answers
	cd bench && $(GO) run ./cmd/bench --quick

.PHONY: bench-store
bench-store: ## Measure both stores alone: heartbeats, and pages of 10k to 1M users
	$(GO) test -run '^$$' -bench . -benchtime 2s -timeout 60m ./internal/presence/memstore ./internal/presence/redisstore

.PHONY: bench-scale
bench-scale: ## Measure a million users on a Cluster of three primaries, next to 10k (six minutes, 1 GB)
	cd bench && $(GO) test -count=1 -v -timeout 30m ./scale -args -users 1000000 -few 10000 -ttl 60s -for 20s

.PHONY: bench-overload
bench-overload: deps ## Measure heartbeats at five times what a node can take, and refuse documents (a minute)
	cd bench && $(GO) test -count=1 -v ./overload -args -conns 4000 -for 8s
	$(GO) test -run '^$$' -bench BenchmarkRefused ./internal/server/document

FUZZTIME ?= 1m
.PHONY: fuzz
fuzz: ## Run each fuzz target for FUZZTIME (1m)
	@set -euo pipefail; for package in $$($(GO) list ./...); do \
		for target in $$($(GO) test -list '^Fuzz' "$$package" | grep '^Fuzz' || true); do \
			echo "$$package $$target"; \
			$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) "$$package"; \
		done; \
	done

.PHONY: clean
clean: ## Remove what was built; data/ stays
	rm -rf bin artifacts .tools web/node_modules web/*/node_modules web/client/dist examples/node_modules
	find web/dist -mindepth 1 -not -name .gitkeep -delete
