# Targets of slackbridge. `make` alone lists them.

GO       ?= go
FUZZTIME ?= 20s
# Tools run pinned, so that go.mod stays ours alone.
GOFUMPT     = mvdan.cc/gofumpt@v0.12.0
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOVULNCHECK = golang.org/x/vuln/cmd/govulncheck@v1.9.0
VERSION    ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS     = -s -w -X main.version=$(VERSION)

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

.PHONY: deps
deps: ## install what the tests need (Redis, Node packages), or say what to install
	@sh scripts/test-deps.sh

.PHONY: test
test: deps ## all tests, with the slow ones, the race detector and a random order
	$(GO) vet ./...
	$(GO) test -race -shuffle=on -timeout 12m $$($(GO) list ./... | grep -v '/mcpclient$$')
	$(GO) test -race -shuffle=on -timeout 12m ./mcpclient -slow
	$(GO) test -timeout 12m -run Property ./blockkit

.PHONY: short
short: ## the tests without the slow ones and without the race detector
	$(GO) test -shuffle=on ./...

.PHONY: race
race: deps ## the tests without the slow ones, with the race detector
	$(GO) test -race -shuffle=on ./...

# How much `make chaos` does, and from which seed (0: another one each time).
CHAOS_SEED      ?= 0
CHAOS_QUESTIONS ?= 300
CHAOS_REPLICAS  ?= 3
CHAOS_DURATION  ?= 180s
CHAOS_FLAGS     ?=

.PHONY: chaos
chaos: deps ## replicas, Redis and Slack under faults for minutes: no answer is lost or doubled (CHAOS_SEED=n repeats)
	$(GO) test ./internal/chaos -v -count=1 -timeout 30m -chaos.seed $(CHAOS_SEED) -chaos.questions $(CHAOS_QUESTIONS) \
		-chaos.replicas $(CHAOS_REPLICAS) -chaos.duration $(CHAOS_DURATION) $(CHAOS_FLAGS)

.PHONY: conformance
conformance: ## the official MCP conformance suite against the MCP client (needs npm)
	@GO="$(GO)" sh scripts/conformance.sh

.PHONY: fmt
fmt: ## format the code
	$(GO) run $(GOFUMPT) -w .

.PHONY: fmt-check
fmt-check: ## fail if the code is not formatted
	@out=$$(gofmt -l $$(git ls-files '*.go')); [ -z "$$out" ] || { echo "not formatted:"; echo "$$out"; exit 1; }

.PHONY: lint
lint: ## static analysis
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...

.PHONY: archtest
archtest: ## who may import whom
	$(GO) test ./internal/archtest

.PHONY: golden
golden: ## write the golden files anew
	$(GO) test ./blockkit -update
	$(GO) test ./mcpclient -update

.PHONY: fuzz
fuzz: ## every fuzz target for FUZZTIME (20s)
	@$(GO) list ./... | while read -r pkg; do \
		$(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz' | while read -r target; do \
			echo "$$pkg $$target"; \
			$(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x $$pkg || exit 1; \
		done || exit 1; \
	done

# For instance BENCHFLAGS='-doc docs/performance.md', or '-rows cpu -profiles /tmp/profiles'.
BENCHFLAGS ?=

.PHONY: bench
bench: ## the numbers of docs/performance.md: the real binary under load (8 minutes)
	$(GO) run ./internal/bench $(BENCHFLAGS)

.PHONY: microbench
microbench: ## benchmarks of single functions
	$(GO) test -run '^$$' -bench . -benchmem ./...

.PHONY: vuln
vuln: ## known vulnerabilities (needs the network)
	$(GO) run $(GOVULNCHECK) ./...

.PHONY: build
build: ## bin/slackbridge
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/slackbridge ./cmd/slackbridge

.PHONY: image
image: ## the container image
	docker build --build-arg VERSION=$(VERSION) -t slackbridge:$(VERSION) .

.PHONY: check
check: fmt-check archtest lint race ## what must be green before a commit
