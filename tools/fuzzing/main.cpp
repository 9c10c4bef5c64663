// Runs the linked fuzz target on its seeds, on every prefix of them, and on a fixed number of
// mutations: the same inputs on every machine. A target aborts on an error; the input is then
// printed as a line for the seeds file.

#include <array>
#include <charconv>
#include <csignal>
#include <fstream>
#include <iterator>
#include <string_view>
#include <unistd.h>

#include <fmt/format.h>

#include "tools/fuzzing/mutate.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace overlane::fuzzing {
namespace {

/// Global, for the signal handler.
const Bytes* current_input = nullptr;

void print_raw(std::string_view text) {
  [[maybe_unused]] const auto written = write(STDERR_FILENO, text.data(), text.size());
}

extern "C" void print_input_and_die(int signal) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  print_raw("\nfound:");
  for (const std::uint8_t byte : *current_input) {
    const std::array text{' ', kDigits[byte >> 4], kDigits[byte & 0xf]};
    print_raw({text.data(), text.size()});
  }
  print_raw("\n");
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void run(const Bytes& input) {
  // With exact capacity, so that a sanitizer detects every read beyond the end.
  const Bytes exact(input.begin(), input.end());
  current_input = &exact;
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

std::uint64_t run_seeds(const std::vector<Seed>& seeds) {
  std::uint64_t runs = 0;
  for (const Seed& seed : seeds) {
    for (std::size_t size = 0; size <= seed.bytes.size(); ++size, ++runs)
      run({seed.bytes.begin(), seed.bytes.begin() + static_cast<std::ptrdiff_t>(size)});
  }
  return runs;
}

int replay(const char* path, std::uint64_t mutations) {
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto seeds = parse_seeds(text);
  if (!seeds) {
    fmt::print(stderr, "{}: {}\n", path, seeds.error());
    return 2;
  }
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP})
    std::signal(signal, print_input_and_die);
  std::uint64_t runs = run_seeds(*seeds);
  RandomStream random(1, StreamUse::Pattern, 0);
  for (std::uint64_t i = 0; i < mutations; ++i, ++runs)
    run(mutate(*seeds, random));
  fmt::print("{} runs\n", runs);
  return 0;
}

}  // namespace
}  // namespace overlane::fuzzing

int main(int argc, char** argv) {
  const std::string_view count = argc == 3 ? argv[2] : "";
  std::uint64_t mutations = 0;
  const auto end = std::from_chars(count.begin(), count.end(), mutations);
  if (count.empty() || end.ptr != count.end()) {
    fmt::print(stderr, "usage: {} SEEDS-FILE MUTATIONS\n", argv[0]);
    return 2;
  }
  return overlane::fuzzing::replay(argv[1], mutations);
}
