#ifndef TOOLS_CTL_INVOCATION_H_
#define TOOLS_CTL_INVOCATION_H_

#include <functional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/clock.h"
#include "tools/ctl/console.h"
#include "tools/ctl/gateway_client.h"
#include "tools/ctl/outcome.h"

namespace sluice {

// A command whose flags have been read, to be run when the whole command line is known to be good.
using Command = std::function<Outcome(Console& console, const ConnectionOptions& connection)>;

// What reading the command line found.
struct Invocation {
  Command command;
};

// A command that only says what is wrong with its flags.
inline Command Refuse(const absl::Status& status) {
  return [status](Console&, const ConnectionOptions&) { return Outcome::Usage(status); };
}

// A command that talks to the gateway.
inline Command WithGateway(std::function<Outcome(Console&, GatewayClient&)> command) {
  return [command = std::move(command)](Console& console, const ConnectionOptions& connection) {
    const auto client = GatewayClient::Create(connection, absl::Now());
    // Wrong options are the command line's fault; a missing certificate is not.
    if (absl::IsInvalidArgument(client.status())) return Outcome::Usage(client.status());
    if (!client.ok()) return Outcome::Failed(client.status());
    return command(console, **client);
  };
}

// A command that sends one request and shows the answer; `render` makes the text for people.
//
//   Ask(&GatewayClient::Stub::GetNode, request,
//       [](const GetNodeResponse& answer) { return RenderNode(answer.node()); })
template <typename Request, typename Response, typename Render>
Command Ask(grpc::Status (GatewayClient::Stub::*method)(grpc::ClientContext*, const Request&,
                                                        Response*),
            const Request& request, Render render) {
  return WithGateway([=](Console& console, GatewayClient& client) {
    Response response;
    const grpc::Status status = client.Call(method, request, response);
    if (!status.ok()) return Outcome::Failed(status);
    console.Show(response, render(response));
    return Outcome::Ok();
  });
}

}  // namespace sluice

#endif  // TOOLS_CTL_INVOCATION_H_
