#include "tools/fastpath/command_line.h"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "tools/overlane/cli/output.h"
#include "tools/overlane/verbs/compiled_shoot.h"

namespace overlane::fastpath {

namespace {

using command::ExitCode;

/// "a, b, c and 7 more".
std::string some_names(const std::vector<node::NodeState>& nodes) {
  constexpr std::size_t kMax = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMax, nodes.size()); ++i)
    text += (i == 0 ? "" : ", ") + nodes[i].member().name;
  return nodes.size() <= kMax ? text : fmt::format("{} and {} more", text, nodes.size() - kMax);
}

}  // namespace

void add_subject_options(CLI::App& verb, SubjectOptions& options) {
  command::add_manifest_options(verb, options.input);
  verb.add_option("--shoot", options.shoot, "The shoot to use, if the manifests have several")
      ->type_name("NS/NAME");
  verb.add_option("--variant", options.variant,
                  "A variant of the scenario or of the built-in comparison; else as written")
      ->type_name("NAME");
  verb.add_option("--node", options.node, "The node to be; else the first")->type_name("NAME");
  verb.add_option("--nodes", options.nodes, "Number of nodes (default: the minimum of the workers)")
      ->type_name("N")
      ->check(CLI::Range(1u, 5000u));
}

Result<std::shared_ptr<const node::NodeState>, ExitCode> load_node(const SubjectOptions& options) {
  const auto variant = command::compile_variant(
      {.paths = options.input.paths,
       .subject = {.derive = options.input.derive, .shoot = options.shoot, .nodes = options.nodes}},
      options.variant);
  if (!variant) return fail(command::print_failure(variant.error(), options.input.quiet));
  if (!variant->states) {
    command::print_error(variant->reason);
    return fail(ExitCode::NoInput);
  }
  const auto& nodes = variant->states->nodes;
  const auto found = std::ranges::find_if(nodes, [&](const node::NodeState& state) {
    return options.node.empty() || state.member().name == options.node;
  });
  if (found == nodes.end()) {
    command::print_error(
        fmt::format("there is no node \"{}\"; there are {}", options.node, some_names(nodes)));
    return fail(ExitCode::Usage);
  }
  if (node::has_wireguard(*found)) {
    command::print_error(
        "unsupported-encryption: the fast path does not encrypt; without WireGuard it forwards");
    return fail(ExitCode::NoInput);
  }
  return std::make_shared<const node::NodeState>(*found);
}

void add_eal_options(CLI::App& verb, dpdk::EalOptions& options, const std::string& cores) {
  verb.add_option("--cores,--core", options.cores, cores)
      ->type_name("CORE[,CORE...]")
      ->delimiter(',')
      ->check(CLI::Range(0, 1023));
  verb.add_option("--memory", options.memory_mib, "MiB for tables and packets")
      ->check(CLI::Range(128, 1 << 20));
  verb.add_flag_callback(
      "--no-hugepages", [&options] { options.hugepages = false; }, "Use ordinary memory");
}

}  // namespace overlane::fastpath
