#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "topologies/derive/derive.h"
#include "topologies/document/read/read.h"
#include "topologies/document/syntax/parse.h"
#include "topologies/explain/explanation.h"

// Puts explanations together in one of three forms. Networks are rendered on several threads and
// added in document order on the caller's thread.
namespace overlane::explain {

enum class Form : std::uint8_t {
  Text,     ///< Every network with its reasons; a summary first if there are several; findings.
  Summary,  ///< One row per network; findings.
  Json,     ///< The JSON document of kind Explanation.
};

/// Puts the texts of networks and the findings together.
class Renderer {
 public:
  explicit Renderer(Form form) : form_(form) {}

  /// One network in the renderer's form.
  struct Network {
    std::optional<SummaryRow> row;
    std::string text;
  };
  Network render(const effective::EffectiveDataplane& network) const;  ///< On any thread.
  void add(Network rendered);
  std::size_t networks() const { return networks_; }
  /// The parts of the whole text, in order.
  std::vector<std::string> finish(const Findings& findings);

 private:
  Form form_;
  std::size_t networks_ = 0;
  std::vector<SummaryRow> rows_;
  std::vector<std::string> texts_;
};

/// What `overlane explain` prints.
struct Rendering {
  std::size_t networks = 0;
  std::vector<std::string> text;  ///< In parts, to be written one after the other.
  Findings findings;
};

/// Explains and renders one network after the other, so that none is kept.
Rendering render(document::Stream stream, const derive::DeriveOptions& options, Form form,
                 unsigned threads = 0, const document::Progress& progress = {});

}  // namespace overlane::explain
