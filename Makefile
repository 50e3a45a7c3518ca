# SPDX-License-Identifier: GPL-2.0-or-later
# A thin front: meson and ninja build, the scripts in tools/ do the rest.
BUILD ?= build
PREFIX ?= /usr/local
DESTDIR ?=
MESON_FLAGS ?=

.PHONY: all build deps demo check check-kernel lint-deep bench bench-record bench-stats install uninstall clean help

all: build

help:
	@echo "make             build in $(BUILD)/"
	@echo "make deps        install what is needed (apt; says what first)"
	@echo "make demo        deps, build, and a real search in a repository that it makes"
	@echo "make check       build and run every test"
	@echo "make check-kernel  a hunt in a real kernel's source (an hour; see tools/check-kernel.sh)"
	@echo "make lint-deep   sanitizers, analyzers, valgrind (slow)"
	@echo "make bench       culprit's own cost as ratios; make bench-record also writes docs/results/bench.md"
	@echo "make bench-stats what the search keeps of its promises, by simulation"
	@echo "make install     to $(PREFIX) (PREFIX=, DESTDIR=); make uninstall removes it"

$(BUILD)/build.ninja:
	@command -v meson >/dev/null && command -v ninja >/dev/null || { \
		echo "meson and ninja are missing: 'make deps' installs what is needed" >&2; exit 1; }
	meson setup $(BUILD) --prefix=$(PREFIX) $(MESON_FLAGS)

build: $(BUILD)/build.ninja
	ninja -C $(BUILD)

deps:
	tools/deps.sh check

demo:
	tools/deps.sh build
	$(MAKE) build
	BUILD=$(BUILD) tools/demo.sh

check: build
	BUILD=$(BUILD) tools/check.sh

check-kernel:
	tools/deps.sh kernel
	$(MAKE) build
	BUILD=$(BUILD) tools/check-kernel.sh

lint-deep:
	tools/deps.sh deep
	tools/lint-deep.sh

bench:
	tools/deps.sh bench
	$(MAKE) build
	BUILD=$(BUILD) bench/run.sh

bench-record:
	tools/deps.sh bench
	$(MAKE) build
	BUILD=$(BUILD) bench/run.sh --record docs/results/bench.md

bench-stats: build
	BUILD=$(BUILD) bench/stats.sh

install: build
	meson configure $(BUILD) -Dprefix=$(PREFIX)
	meson install -C $(BUILD) $(if $(DESTDIR),--destdir $(abspath $(DESTDIR)))

uninstall:
	BUILD=$(BUILD) DESTDIR=$(DESTDIR) tools/uninstall.sh

clean:
	rm -rf $(BUILD) build-asan build-gcc-asan build-analyzer build-fuzz build-sanitized build-ci
