# The targets need Go and make, and nothing else, unless their help says so.

GO ?= go
# The folders of all modules in go.work. At the root, ./... are only the packages of the root module.
MODULES := $(shell $(GO) list -m -f '{{.Dir}}')
# All packages but the side-by-side benchmarks and the tests of the live page, most of which is other people's code.
OURS := $(addsuffix /...,$(filter-out $(CURDIR)/bench %/browser,$(MODULES)))
PKG ?= $(OURS)
BENCH ?= .
COUNT ?= 1
# Tests run without a debugger, and are linked faster without what one needs. All have the same timeout, as it is part of
# what a cached result is known by: make check runs after make test only what depends on the lane. Many tests wait for
# disks, browsers and timers, so there are more packages at a time than processors.
TEST := $(GO) test -ldflags=-w -timeout 30m -p $(shell n=$$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2); echo $$((n + (n + 1) / 2)))

LINT_VERSION := v2.15.0
LINT := $(CURDIR)/.bin/golangci-lint-$(LINT_VERSION)
# The packages whose schedules are explored.
MODELS := ./internal/deque ./internal/workers/queues ./internal/workers ./task ./actor
PLATFORMS := linux/amd64 linux/arm64 linux/386 linux/riscv64 darwin/amd64 darwin/arm64 windows/amd64 freebsd/amd64
# Of these, those for which the command is built, too.
COMMAND := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64
# The tests are built for this one.
NATIVE = $(shell $(GO) env GOHOSTOS)/$(shell $(GO) env GOHOSTARCH)
# At least one with each system: those of linux/386 are run (make portable).
VETTED := linux/riscv64 darwin/arm64 windows/amd64 freebsd/amd64

# VET=off spares go test its part of go vet, for all that the tests import, too. CI says so: make lint vets all.
VET ?=
NOVET = $(if $(VET),-vet=$(VET))

.DEFAULT_GOAL := help

.PHONY: help
help: ## Show this list.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo
	@echo "  PKG=./sched limits race, invariants and bench to a package, BENCH=Steal"
	@echo "  chooses benchmarks, COUNT=10 repeats tests and benchmarks."

.PHONY: test
test: ## Run the quick tests of all modules, as a newcomer does.
	$(TEST) $(NOVET) work

.PHONY: check
check: ## Run all tests: also planted faults, explored models, searches of many schedules and sizes.
	TROUPE_LANE=check $(TEST) $(NOVET) work

.PHONY: nightly
nightly: ## Search for a night, and write docs/nightly.md; SCALE=0.1 takes a tenth of the time.
	.ci/nightly $(SCALE)

SCALE ?= 1

SKIP ?=

.PHONY: race
race: ## Run the tests under the race detector (needs a C compiler).
	@test "$$($(GO) env GOOS)" = darwin || command -v $$($(GO) env CC) >/dev/null || { \
		echo "make race: no C compiler ($$($(GO) env CC)) found. The race detector needs one;" >&2; \
		echo "on Debian: apt-get install gcc libc6-dev" >&2; exit 1; }
	TROUPE_LANE=check CGO_ENABLED=1 $(TEST) -race -vet=off -count $(COUNT) $(if $(SKIP),-skip '$(SKIP)') $(PKG)

STORES := ./journal/sqlite ./journal/postgres

.PHONY: race-stores
race-stores: ## Run the suite of stores, projections and two writers under the race detector, on SQLite and PostgreSQL.
	TROUPE_LANE=check CGO_ENABLED=1 $(TEST) -race -vet=off -count $(COUNT) -skip Planted -run 'Suite|Pages|Projection|Writes|Command' $(STORES)

.PHONY: invariants
invariants: ## Run the tests of all rooms that have internal checks below them, with these switched on.
	@packages=$$($(GO) list -tags invariants -test -f '{{if .ForTest}}{{.ForTest}} {{join .Deps " "}}{{end}}' $(PKG) | awk '/internal\/invariants/ && $$1 !~ /\/examples\// { print $$1 }' | sort -u); \
	[ -n "$$packages" ] || { echo "make invariants: nothing in $(PKG) has internal checks" >&2; exit 1; }; \
	TROUPE_LANE=check $(TEST) -tags invariants -vet=off -count $(COUNT) $$packages

MINUTES ?= 1

.PHONY: soak
soak: ## Overload a system for MINUTES, 1, and keep books of all its messages.
	$(GO) run ./internal/soak -minutes $(MINUTES)

.PHONY: model
model: ## Run the searches of all schedules, which make check runs too, and print their figures.
	@out=$$($(GO) test -tags modelcheck -run '^TestModel$$' -count 1 -v $(MODELS) 2>&1) || { \
		echo "$$out"; exit 1; }; \
	echo "$$out" | sed -n 's/^ *|/|/p'

SCHEDULES ?= 10000
# The packages with simulated tests.
SIMULATED := ./simtest ./sched ./internal/workers ./task ./strand ./actor ./supervise ./router ./health ./journal

.PHONY: explore
explore: ## Try SCHEDULES schedules, 10000, of each simulated program: for nights.
	TROUPE_SCHEDULES=$(SCHEDULES) $(GO) test -count 1 -timeout 0 -skip Planted $(SIMULATED)

FUZZTIME ?= 400000x
FUZZSECONDS ?= 0

.PHONY: fuzz
fuzz: ## Fuzz each codec FUZZTIME long, 400000x (inputs), again until FUZZSECONDS, 0, are over.
	@for package in ./netio ./wire ./wire/cbor ./internal/remote ./internal/session; do for target in $$($(GO) test -list '^Fuzz' $$package | grep ^Fuzz); do \
		end=$$(($$(date +%s) + $(FUZZSECONDS))); \
		while :; do \
			$(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x $$package || exit 1; \
			[ $$(date +%s) -lt $$end ] || break; \
		done; \
	done; done

# The packages of the root module that have files with the build tag $(1).
tagged = $(shell $(GO) list -f '{{.Dir}}' ./... | while read -r dir; do grep -qs '^//go:build.*$(1)' "$$dir"/*.go && echo "$$dir"; done)

.PHONY: lint
lint: $(LINT) ## Check style, import arrows and go.mod (installs its linter in .bin).
	$(LINT) config verify
	.ci/tidy -diff
	$(LINT) run $(addsuffix /...,$(filter-out $(CURDIR)/libtroupe,$(MODULES)))
	CGO_ENABLED=0 $(LINT) run ./libtroupe/... # What has no cgo in it, which one of the linters does not stand.
	$(GO) vet ./libtroupe/...
	$(GO) run ./cmd/troupe vet ./... # Mistakes that our own analyzers know.
	$(LINT) run --build-tags invariants $(call tagged,invariants)
	$(LINT) run --build-tags modelcheck $(call tagged,modelcheck)

.PHONY: tidy
tidy: ## Run go mod tidy in each module (plain go mod tidy does not know go.work).
	.ci/tidy

$(LINT):
	GOBIN=$(CURDIR)/.bin $(GO) install -ldflags=-w \
		github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(LINT_VERSION)
	mv .bin/golangci-lint $@

.PHONY: house
house: ## Measure packages, files, types, exports and English, and compare with internal/house/bounds.txt.
	$(GO) run ./internal/house

.PHONY: bench
bench: ## Run all benchmarks, allocations included.
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem -count $(COUNT) $(PKG)

.PHONY: bench-once
bench-once: ## Run every benchmark for one iteration, so that none can rot.
	$(TEST) -vet=off -run '^$$' -bench . -benchtime 1x $$(grep -rl --include='*_test.go' '^func Benchmark' . | xargs -n 1 dirname | sort -u)

.PHONY: screenshot
screenshot: ## Make the pictures of docs from the demo at work (needs Chromium).
	TROUPE_SCREENSHOTS=$(CURDIR)/docs/pictures $(GO) test -count 1 -run '^TestPictures$$' ./inspect/internal/browser

EACH ?= 1m

.PHONY: tree
tree: ## Measure the page's tree of 100,000 actors in Chromium: tasks over 50 ms, in five runs of EACH, 1m.
	TROUPE_SMOOTH=$(EACH) $(GO) test -v -count 1 -timeout 0 -run '^TestSmoothTree$$' ./inspect/internal/browser

RESULTS := docs/benchmarks

# measured says when, of which commit and on what machine figures are.
measured = { echo "Measured on $$(date -u +%F) at commit $$(git rev-parse --short HEAD), with $$($(GO) version | cut -d' ' -f3),"; \
	echo "on $$(uname -sm) with $$(getconf _NPROCESSORS_ONLN) processors$$(sed -n 's/^model name.*: /: /p' /proc/cpuinfo 2>/dev/null | head -1)."; }

.PHONY: evaluate
evaluate: evaluate-bench evaluate-command evaluate-rooms ## Measure all, and write docs/benchmarks: 25 minutes if quiet.

.PHONY: evaluate-bench
evaluate-bench: ## The part of it that is side by side with others, and growth.
	mkdir -p $(RESULTS)
	$(measured) > $(RESULTS)/measured.txt
	cd bench && $(GO) build -o .evaluate .
	bench/.evaluate -json > $(RESULTS)/evaluation.json
	bench/.evaluate -growth -json > $(RESULTS)/growth.json
	$(MAKE) evaluation-tables

.PHONY: evaluate-command
evaluate-command: ## The part of it that is strands with their connections, and terminals.
	mkdir -p $(RESULTS)
	for what in strands terminal; do \
		{ $(measured); echo; $(GO) run ./cmd/troupe bench $$what; } > $(RESULTS)/$$what.txt || exit 1; \
	done

# room measures the benchmarks $(2) of package $(1) with the flags $(3).
room = $(GO) test -run '^$$' -bench '$(2)' -benchmem $(3) ./$(1)

.PHONY: evaluate-rooms
evaluate-rooms: ## The part of it that single rooms cost.
	mkdir -p $(RESULTS)
	set -e; { $(measured); \
		$(call room,supervise,Restart|Children,); \
		$(call room,router,Route|Pool,); \
		$(call room,inspect,Overhead/.*/(counting|all|recorded),-benchtime 300x -cpu 1); \
		$(call room,inspect,Overhead/.*/page,-benchtime 7x -cpu 1); \
		$(call room,inspect,Snapshot,-benchtime 80x); \
		$(call room,simtest,Steps,); \
	} > $(RESULTS)/rooms.txt

.PHONY: evaluation-tables
evaluation-tables: ## Write the tables and plots of docs/benchmarks from its JSON, and the figures of the README.
	cd bench && $(GO) build -o .evaluate .
	{ echo "# Side by side"; echo; cat $(RESULTS)/measured.txt; \
	  bench/.evaluate -report $(RESULTS)/evaluation.json; } > $(RESULTS)/evaluation.md
	{ echo "# Growth"; echo; cat $(RESULTS)/measured.txt; \
	  echo; echo "The columns are subjects with a number of processors and workers."; echo; \
	  for kind in message actor memory; do echo "![grow-$$kind](grow-$$kind.svg)"; done; \
	  bench/.evaluate -report $(RESULTS)/growth.json -plots $(RESULTS); } > $(RESULTS)/growth.md
	bench/.evaluate -report $(RESULTS)/evaluation.json -into README.md

.PHONY: evaluate-once
evaluate-once: ## Run every workload of the evaluation once, with troupe and the baselines.
	cd bench && $(GO) run . -quick -subject troupe,channels,goroutines,workers,balanced > /dev/null
	cd bench && $(GO) run . -quick -growth > /dev/null

# What nobody runs needs nothing for a debugger. Build and vet have the same flags, and so share what they compile.
LEAN := -gcflags=all=-dwarf=false

.PHONY: cross
cross: ## Build for each supported platform but this, and check the tests of the root module for each system.
	@set -e; for platform in $(filter-out $(NATIVE),$(PLATFORMS)); do \
		echo "$$platform: go build"; \
		export CGO_ENABLED=0 GOOS=$${platform%/*} GOARCH=$${platform#*/}; \
		case " $(COMMAND) " in *" $$platform "*) packages="./... ./cmd/troupe/..." ;; *) packages=./... ;; esac; \
		$(GO) build -buildvcs=false -ldflags=-w $(LEAN) $$packages; \
		case " $(VETTED) " in *" $$platform "*) echo "$$platform: go vet"; $(GO) vet $(LEAN) ./... ;; esac; \
	done

# Rooms that ask which goroutine calls are tested as a whole with 32-bit words; those that stand on them, and all without
# assembly, by their waits.
PORTABLE := ./internal/gid ./internal/workers ./sched ./strand ./task
PORTABLE_ABOVE := ./actor ./supervise ./router
PORTABLE_WAITS := -run 'Wait|Join|Sleep|Close|Self|Ring|Deadlock|Host|Ask|Current'
# To tell goroutines apart takes long below a deep stack, and room on it.
PORTABLE_SKIP := -skip 'Deep|Limit|SmallStack'

.PHONY: portable
portable: ## Run tests with 32-bit words (on amd64), and without assembly, as on other processors.
	GOARCH=386 CGO_ENABLED=0 $(TEST) -vet=off $(PORTABLE)
	GOARCH=386 CGO_ENABLED=0 $(TEST) -vet=off $(PORTABLE_WAITS) $(PORTABLE_SKIP) $(PORTABLE_ABOVE)
	$(TEST) -tags portable -vet=off $(PORTABLE_WAITS) $(PORTABLE_SKIP) $(PORTABLE) $(PORTABLE_ABOVE)

LIB := lib

.PHONY: lib
lib: ## Build the C library and its header into the folder LIB, lib (needs a C compiler).
	@command -v $$($(GO) env CC) >/dev/null || { \
		echo "make lib: no C compiler ($$($(GO) env CC)) found; on Debian: apt-get install gcc libc6-dev" >&2; exit 1; }
	GO="$(GO)" libtroupe/build.sh $(LIB)

.PHONY: readme
readme: ## Compile the Go code of the Markdown files and check their links.
	TROUPE_LANE=check $(GO) test -count 1 -run Markdown .

SITE := .site

.PHONY: docs
docs: ## Make the site of the documentation in .site/html, and check its links (needs MkDocs).
	@command -v mkdocs >/dev/null || { echo "make docs: no mkdocs found; on Debian: apt-get install mkdocs" >&2; exit 1; }
	rm -rf $(SITE)
	$(GO) run ./internal/site -to $(SITE)
	mkdocs build --quiet --strict --config-file $(SITE)/mkdocs.yml
	$(GO) run ./internal/site -check $(SITE)/html
	@grep -q '"location"' $(SITE)/html/search/search_index.json || { echo "make docs: the search index is empty" >&2; exit 1; }

DOCS_ADDR ?= 127.0.0.1:8000

.PHONY: docs-serve
docs-serve: docs ## Make the site, and serve it at DOCS_ADDR, 127.0.0.1:8000.
	mkdocs serve --config-file $(SITE)/mkdocs.yml --dev-addr $(DOCS_ADDR)

.PHONY: smoke
smoke: ## Run the demo once, with failures, and compare it with a sequential count.
	$(GO) run ./cmd/troupe demo --verify --fault-rate 0.02 --json "$$($(GO) env GOROOT)/src/net"

.PHONY: release-check
release-check: ## Release the last commit into a folder, install the command from it and build a program.
	.ci/release-check

.PHONY: ci
ci: ## Run everything that CI runs.
	bash .ci/run
