#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <unistd.h>

#include "topologies/check/testing/reader_rows.h"

namespace overlane::check::testing {
namespace {

std::string repeated(const std::string& text, std::size_t count) {
  std::string all;
  all.reserve(text.size() * count);
  for (std::size_t i = 0; i < count; ++i)
    all += text;
  return all;
}

std::string nested(std::size_t levels) {
  return shoot_with("tolerations: " + repeated("[", levels) + repeated("]", levels));
}

/// One of five GiB that takes no room, until the program ends.
std::string huge_file() {
  struct Sparse {
    std::filesystem::path path = std::filesystem::temp_directory_path() /
                                 ("overlane-huge-" + std::to_string(::getpid()) + ".yaml");
    Sparse() {
      std::ofstream(path).close();
      std::filesystem::resize_file(path, std::uintmax_t{5} << 30);
    }
    ~Sparse() { std::filesystem::remove(path); }
  };
  static const Sparse file;
  return file.path;
}

/// Each line repeats the one before ten times: 11,110 values with four lines, 111,110 with five.
std::string aliases(std::size_t lines) {
  std::string text = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (std::size_t i = 1; i < lines; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    const std::string name = "a" + std::to_string(i);
    text += name + ": &" + name + " [" + before + repeated(", " + before, 9) + "]\n";
  }
  return text + shoot_text();
}

std::string comments(std::size_t mebibytes) {
  return shoot_text() + repeated("#" + std::string(1022, ' ') + "\n", mebibytes << 10);
}

}  // namespace

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

std::string shoot_text(const std::string& networking) {
  return "apiVersion: core.gardener.cloud/v1beta1\n"
         "kind: Shoot\n"
         "metadata: {name: one, namespace: garden-dev}\n"
         "spec:\n"
         "  provider: {type: aws, workers: [{name: w, minimum: 1, maximum: 2}]}\n"
         "  networking:\n"
         "    type: calico\n"
         "    nodes: 10.250.0.0/16\n"
         "    " +
         networking + "\n";
}

std::string shoot_with(const std::string& spec) {
  return shoot_text() + "  " + spec + "\n";
}

std::vector<ReaderRow> document_rows() {
  const std::string sound = shoot_text();
  return {
      {"unreadable-file", "topologies/library/none.yaml", "topologies/library/gardenet.yaml",
       Reader::Path},
      {"empty-file", "# nothing\n", sound},
      {"binary-file", shoot_with("region: \xff"), shoot_with("region: \xc3\xa4")},
      {"invalid-yaml", shoot_with("region: [a"), shoot_with("region: a")},
      {"invalid-json", "{\"kind\" \"Shoot\"}", "{\"kind\": \"Shoot\"}"},
      {"duplicate-key", shoot_with("region: a\n  region: b"), shoot_with("region: a")},
      {"merge-key", shoot_with("<<: {region: a}"), shoot_with("region: a")},
      {"elision", sound + "...\nstatus: {}\n", sound + "...\n"},
      {"other-format", "variable \"pods\" {\n  default = \"10.0.0.0/8\"\n}\n", sound},
      {"template", shoot_with("region: {{ .Values.region }}"), shoot_with("region: a")},
      {"placeholder", shoot_with("region: <some-region>"), shoot_with("region: some-region")},
      {"nesting-limit", nested(199), nested(198)},
      {"alias-limit", aliases(5), aliases(4)},
      {"token-limit", shoot_with("region: " + std::string(std::size_t{3} << 20, 'x')),
       shoot_with("region: " + std::string(std::size_t{1} << 20, 'x'))},
      {"document-limit", comments(65), comments(1)},
      {"input-limit", huge_file(), "topologies/library/gardenet.yaml", Reader::Path},
      {"too-many-documents", "topologies/library/manifests/landscape.yaml",
       "topologies/library/gardenet.yaml", Reader::OneDocument},
  };
}

}  // namespace overlane::check::testing
