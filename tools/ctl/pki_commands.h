#ifndef TOOLS_CTL_PKI_COMMANDS_H_
#define TOOLS_CTL_PKI_COMMANDS_H_

#include <CLI/CLI.hpp>

#include "tools/ctl/invocation.h"

namespace sluice {

// `pki init`.
void AddPkiCommands(CLI::App& app, Invocation& invocation);

}  // namespace sluice

#endif  // TOOLS_CTL_PKI_COMMANDS_H_
