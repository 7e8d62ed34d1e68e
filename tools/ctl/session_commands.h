#ifndef TOOLS_CTL_SESSION_COMMANDS_H_
#define TOOLS_CTL_SESSION_COMMANDS_H_

#include <CLI/CLI.hpp>

#include "tools/ctl/invocation.h"

namespace sluice {

// `session create|get|list|update|delete|watch` and `forwarding set`.
void AddSessionCommands(CLI::App& app, Invocation& invocation);

}  // namespace sluice

#endif  // TOOLS_CTL_SESSION_COMMANDS_H_
