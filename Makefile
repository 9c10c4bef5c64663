# Shortcuts; everything else is CMake (CMakePresets.json) and tools/.
.PHONY: build test quickstart format clean

build:
	tools/setup
	tools/build release all

test:
	tools/test

quickstart:
	tools/quickstart

format:
	git ls-files '*.h' '*.cpp' | xargs clang-format -i

clean:
	rm -rf build out
