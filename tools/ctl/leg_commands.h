#ifndef TOOLS_CTL_LEG_COMMANDS_H_
#define TOOLS_CTL_LEG_COMMANDS_H_

#include <CLI/CLI.hpp>

#include "tools/ctl/invocation.h"

namespace sluice {

// `leg add|update|remove`.
void AddLegCommands(CLI::App& app, Invocation& invocation);

}  // namespace sluice

#endif  // TOOLS_CTL_LEG_COMMANDS_H_
