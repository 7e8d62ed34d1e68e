#ifndef TOOLS_CTL_EVENT_COMMANDS_H_
#define TOOLS_CTL_EVENT_COMMANDS_H_

#include <CLI/CLI.hpp>

#include "tools/ctl/invocation.h"

namespace sluice {

// `events`.
void AddEventCommands(CLI::App& app, Invocation& invocation);

// `session watch`, under the group of session commands.
void AddSessionWatch(CLI::App& session_group, Invocation& invocation);

}  // namespace sluice

#endif  // TOOLS_CTL_EVENT_COMMANDS_H_
