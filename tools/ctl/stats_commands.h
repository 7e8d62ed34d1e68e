#ifndef TOOLS_CTL_STATS_COMMANDS_H_
#define TOOLS_CTL_STATS_COMMANDS_H_

#include <CLI/CLI.hpp>

#include "tools/ctl/invocation.h"

namespace sluice {

// `stats` and `node`.
void AddStatsCommands(CLI::App& app, Invocation& invocation);

}  // namespace sluice

#endif  // TOOLS_CTL_STATS_COMMANDS_H_
