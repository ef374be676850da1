# The two commands that everyone needs are `make demo` and `make test`; both install what they need first.

PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
# The chosen Python; without a choice, the one of an environment that is there stays.
CHOSEN = $(if $(filter file,$(origin PYTHON)),,$(PYTHON))
INSTALL = @$(BIN)/python -m scripts.packages
NPM = npm install --silent --no-save --no-package-lock --no-audit --no-fund --ignore-scripts
PACKAGES = tests/real/packages
PYTEST_ARGS ?=
QUICK = tests/forms tests/consent tests/reasons tests/live tests/store tests/calls/test_driver.py tests/calls/test_outcomes.py \
	tests/calls/test_checkpoint.py tests/test_house.py tests/test_docs.py tests/test_wording.py tests/test_commands.py \
	tests/pages/test_templates.py tests/pages/test_sentences.py tests/pages/test_house_rules.py \
	tests/browser/test_booking.py tests/browser/test_history.py \
	tests/browser/test_links_of_calls.py::test_the_whole_way_of_a_call_that_needs_two_links
SLOW = --ignore tests/store/test_user_store.py --ignore tests/store/test_stolen.py
# Tests that need nothing but Python: no browser, no Node.js, no git, no other server.
ANYWHERE = $(addprefix tests/,assertions config_file consent embedders forms http icons identity inbox languages live models monitoring \
	notices oauth oidc outbound pictures program_answers reasons sampling scripts signing_keys webhooks wire_log test_time_zones.py) \
	$(addprefix --ignore tests/,models/test_foreign_servers.py sampling/test_foreign_models.py inbox/test_endings.py \
	inbox/test_program_requests.py scripts/test_hooks.py)
# How many workers, and which files first: tests/conftest.py.
PARALLEL = $(BIN)/python -m pytest --numprocesses auto --dist loadfile --no-loadscope-reorder
MINUTES ?= 5
MOST ?= 60
CALLS ?= 200
ROOMS ?=
SERVERS = build/npm/.installed build/mcp-1/.installed build/mcp-2/.installed build/skills/.installed
MORE_SERVERS = $(patsubst %,build/servers-%/.installed,npm reference fastmcp-2 workspace)
MODELS = build/fakellm/.installed build/aimock/.installed
PROXIES = build/proxies/.installed
OPERATIONS = build/operations/.installed
GATEWAYS = build/gateways/.installed build/contextforge/.installed
CLIENTS = build/clients/.installed
EXAMPLES = $(patsubst examples/%/requirements.txt,build/examples/%/.installed,$(wildcard examples/*/requirements.txt))
# Of the agents whose calls wait for a decision, those that need packages of their own: 10 to 160 MB each.
APPROVALS = $(patsubst examples/%/requirements.txt,build/examples/%/.installed,$(wildcard examples/approvals/*/requirements.txt)) \
	$(patsubst examples/%/package.json,build/examples/%/.installed,$(wildcard examples/approvals/*/package.json))
EXAMPLES += $(APPROVALS)
# The two largest ones, of 400 and 830 MB, are installed by make agents and make example-agents alone.
AGENTS = $(patsubst examples/agents/%/,%,$(dir $(wildcard examples/agents/*/agent.*)))
EXAMPLES += $(patsubst %,build/examples/agents/%/.installed,$(filter-out claude crewai,$(AGENTS)))
AGENT ?= openai-agents
CONFORMANCE = build/conformance/0.2.0-alpha.12/.installed build/conformance/0.1.16/.installed

# What is compiled is kept, for the workers and for the programs that tests start.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: house demo test test-all fast slow quick anywhere pythons servers conformance screenshots reasons check style types messages \
	model model-approvals kills bench drill soak browsers mutants package-element clean example-plain example-messenger example-streamlit example-chainlit \
	example-agents agents approvals

demo: $(VENV)/.app ## Start the guided demo with its MCP servers, and open it in a browser
	$(BIN)/python -m webclient demo $(ARGS)

test: style ## Check style and types, and run the tests that are not slow: the rules, the store, dialogues, a look at each page
	@$(MAKE) --no-print-directory -j 2 types fast

test-all: $(VENV)/.python ## The same, then the slow tests: browsers, published servers and clients, proxies, PostgreSQL, the official suites
	@$(MAKE) --no-print-directory test
	@$(MAKE) --no-print-directory slow

# Beside the check of types, which takes one processor for half a minute.
fast: $(VENV)/.compiled
	$(PARALLEL) -m "not slow" $(PYTEST_ARGS)

slow: $(VENV)/.dev $(SERVERS) $(MODELS) $(CONFORMANCE) $(PROXIES) $(OPERATIONS) $(GATEWAYS) $(CLIENTS) $(EXAMPLES) ## Run the slow tests alone
	$(PARALLEL) -m slow $(PYTEST_ARGS)

quick: check ## Check style and types, then run the pure rules, dialogues of both eras, and a page of each kind
	$(PARALLEL) $(QUICK) $(SLOW)

anywhere: $(VENV)/.dev ## Run the tests that need nothing but Python
	$(PARALLEL) $(ANYWHERE) $(PYTEST_ARGS)

pythons: $(VENV)/.dev ## Run these on the lowest and the newest Python that this machine can get
	$(BIN)/python -m scripts.pythons

example-plain: $(VENV)/.app
example-messenger: $(VENV)/.app
example-streamlit: build/examples/streamlit/.installed
example-chainlit: build/examples/chainlit/.installed
example-plain example-messenger example-streamlit example-chainlit: ## Start a chat app that embeds the inbox, with mcp-webclient beside it
	$(BIN)/python examples/start.py $(subst example-,,$@)

example-agents: build/examples/agents/$(AGENT)/.installed ## Let an agent ask through the gateway (AGENT=openai-agents, pydantic-ai, langchain, crewai, fastmcp, vercel, claude)
	$(BIN)/python examples/agents/run.py $(AGENT)

agents: $(VENV)/.dev $(patsubst %,build/examples/agents/%/.installed,$(AGENTS)) ## Run all of these agents through the gateway, also the large and the patient ones
	EVERY_AGENT=1 $(BIN)/python -m pytest tests/examples/test_agents.py $(PYTEST_ARGS)

approvals: $(VENV)/.dev $(APPROVALS) build/conformance/0.2.0-alpha.12/.installed $(patsubst %,build/examples/agents/%/.installed,pydantic-ai openai-agents claude crewai) ## Run the agents whose calls wait for a decision, also the large ones
	$(BIN)/python -m pytest tests/clients/test_frameworks.py $(PYTEST_ARGS)

house: $(VENV)/.dev ## Print the rooms of webclient/ with their sizes, and the journeys of a request through them
	@$(BIN)/python -m tests.house_report

servers: $(VENV)/.dev $(SERVERS) $(MORE_SERVERS) ## Talk to the published servers, and write docs/servers.md
	$(BIN)/python -m tests.real

conformance: $(VENV)/.dev $(CONFORMANCE) ## Run the official conformance suite, and write docs/conformance.md
	$(BIN)/python -m tests.conformance

screenshots: $(VENV)/.dev build/examples/chainlit/.installed ## Take a picture of every page into docs/screenshots
	$(BIN)/python -m tests.screenshots $(ARGS)
	$(BIN)/python -m tests.screenshots.chat_app

reasons: $(VENV)/.dev ## Write docs/reasons.md from the codes and their sentences
	$(BIN)/python -m scripts.reasons

check: style types

style: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/mypy

messages: $(VENV)/.dev ## Update the catalogs of translators, and count missing translations
	$(BIN)/python -m tests.messages

model: $(VENV)/.dev ## Ten randomised runs of a thousand steps each
	$(BIN)/python -m tests.model --runs 10

PROPOSALS ?= 10000
model-approvals: $(VENV)/.dev ## A randomised run of approvals until PROPOSALS calls were proposed
	$(BIN)/python -m tests.model.approval_run --quiet --proposals $(PROPOSALS)

kills: $(VENV)/.dev ## Kill program, servers and network during CALLS calls, and compare cards with what servers got
	$(BIN)/python -m tests.kills --calls $(CALLS) $(ARGS)

bench: $(VENV)/.dev build/npm/.installed build/inspector/.installed build/servers-workspace/.installed ## Measure, as ratios within one run
	$(BIN)/python -m bench

drill: $(VENV)/.dev build/npm/.installed $(PROXIES) ## Let each part of a company's set-up fail while programs ask and people answer
	@deploy/drill $(ARGS)

soak: $(VENV)/.dev ## Use it for MINUTES, and see whether its memory stays flat
	$(BIN)/python -m bench.soak $(MINUTES)

browsers: $(VENV)/.dev $(EXAMPLES) ## Walk through <mcp-inbox> and the examples in Firefox and WebKit (apt-get install firefox-esr webkit2gtk-driver xvfb xauth)
	$(BIN)/python -m tests.other_browsers

package-element: ## Build the npm package of <mcp-inbox> into build/element
	rm -rf build/element && mkdir -p build/element
	cp clients/element/*.json clients/element/*.d.ts clients/element/README.md LICENSE static/embed/mcp-inbox.js static/embed/mcp-inbox.d.ts build/element/
	cd build/element && npm pack --silent

mutants: $(VENV)/.mutation ## List one-line changes that no test notices, MOST of each file, in all ROOMS or some (ROOMS="identity requests")
	nice $(BIN)/python -m tests.mutation --most $(MOST) $(ROOMS)

clean:
	rm -rf $(VENV) build

# Each time, as only a look tells whether the environment still fits. The file changes when a new one is created.
$(VENV)/.python: FORCE
	@scripts/prepare "$(VENV)" "$(CHOSEN)" $(or $(MAKECMDGOALS),demo)
FORCE:

$(VENV)/.app: $(VENV)/.python pyproject.toml constraints.txt
	$(INSTALL) "mcp-webclient" $(BIN)/python --constraint constraints.txt --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.app
	$(INSTALL) "the packages of the tests" $(BIN)/python --constraint constraints.txt --group dev
	@git config core.hooksPath > /dev/null 2>&1 || git config core.hooksPath scripts/hooks 2> /dev/null || true
	@touch $@

# Once, and beside the check of types: each worker of a new environment would compile the same thousand modules.
$(VENV)/.compiled: $(VENV)/.dev
	@$(BIN)/python -m pytest --numprocesses 0 --collect-only --quiet -m "not slow" > /dev/null || true
	@touch $@

$(VENV)/.mutation: $(VENV)/.dev
	$(INSTALL) "the packages of the mutation run" $(BIN)/python --constraint constraints.txt --group mutation
	@touch $@

# nginx and Caddy, which the tests run in front of the program: unpacked, as an installed one would begin to serve.
build/proxies/.installed: scripts/unpack-packages
	@echo "Unpacking nginx and Caddy"
	@scripts/unpack-packages build/proxies nginx caddy
	@touch $@

# Prometheus, PgBouncer and HAProxy. Where they cannot be had, their tests are skipped.
build/operations/.installed: scripts/unpack-packages
	@echo "Unpacking Prometheus, PgBouncer and HAProxy"
	@scripts/unpack-packages build/operations prometheus pgbouncer libc-ares2 libevent-2.1-7 haproxy liblua5.3-0 libopentracing-c-wrapper0 libopentracing1 || echo "Their tests are skipped"
	@mkdir -p $(@D) && touch $@

# Published MCP servers that the tests talk to. Their install scripts are not run: some would fetch from elsewhere.
build/npm/.installed: $(PACKAGES)/npm.txt | $(VENV)/.python
	@echo "Installing npm packages into $(@D)"
	@$(NPM) --omit=optional --prefix build/npm $$(cat $(PACKAGES)/npm.txt)
	@touch $@

# Those that `make servers` alone connects.
build/servers-npm/.installed: $(PACKAGES)/servers-npm.txt | $(VENV)/.python
	@echo "Installing npm packages into $(@D)"
	@$(NPM) --omit=optional --prefix build/servers-npm $$(cat $(PACKAGES)/servers-npm.txt)
	@touch $@

# What the client package for TypeScript is tested with. The compiler is a compiled package that npm counts as optional.
build/clients/.installed: tests/clients/packages.txt | $(VENV)/.python
	@echo "Installing npm packages into $(@D)"
	@$(NPM) --prefix build/clients $$(cat tests/clients/packages.txt)
	@touch $@

# An OpenAI-compatible server without models, by others, that the tests of language models talk to; fakellm is another.
build/aimock/.installed: $(PACKAGES)/aimock.txt | $(VENV)/.python
	@echo "Installing npm packages into $(@D)"
	@$(NPM) --omit=optional --prefix build/aimock $$(cat $(PACKAGES)/aimock.txt)
	@touch $@

# The official conformance suite in two releases, with the Node.js that it needs: Debian's is too old.
build/conformance/%/.installed: tests/conformance/packages/%.txt | $(VENV)/.python
	@echo "Installing npm packages into $(@D)"
	@$(NPM) --prefix build/conformance/$* $$(cat tests/conformance/packages/$*.txt)
	@touch $@

# What the measurements compare with. Its command line needs a compiled package that npm counts as optional.
build/inspector/.installed: bench/packages/inspector.txt | $(VENV)/.python
	@echo "Installing npm packages into $(@D)"
	@$(NPM) --prefix build/inspector $$(cat bench/packages/inspector.txt)
	@touch $@

# The lists are whole, so that nothing is looked for and no version is chosen on the way.
build/%/.installed: $(PACKAGES)/%.txt $(VENV)/.python | $(VENV)/.dev
	@$(BIN)/python -m venv --clear --without-pip build/$*
	$(INSTALL) "the packages of $*" build/$*/bin/python --no-deps --requirement $<
	@touch $@

# Each example has an environment of its own, as a chat app of a company would.
build/examples/%/.installed: examples/%/requirements.txt $(VENV)/.python | $(VENV)/.app
	@$(BIN)/python -m venv --clear --without-pip build/examples/$*
	$(INSTALL) "the packages of the example $*" build/examples/$*/bin/python --no-deps --requirement $<
	@touch $@

build/examples/%/.installed: examples/%/package.json $(VENV)/.python | $(VENV)/.app
	@echo "Installing npm packages into $(@D)"
	@mkdir -p $(@D) && cp $< $(@D)
	@$(NPM) --prefix $(@D)
	@touch $@
