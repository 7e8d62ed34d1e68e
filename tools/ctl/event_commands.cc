#include "tools/ctl/event_commands.h"

#include <cstdint>
#include <memory>

#include "absl/strings/str_cat.h"
#include "tools/ctl/event_view.h"
#include "tools/ctl/session_view.h"
#include "tools/ctl/text_table.h"

namespace sluice {
namespace {

namespace v1 = ::sluice::gateway::v1;
using Stub = GatewayClient::Stub;

struct Flags {
  std::string session;
  uint64_t after = 0;
  std::string instance;
};

std::string RenderHeader(const v1::WatchEventsResponse& response) {
  return Printable(absl::StrCat("# gateway instance ", response.instance_id(), ", newest event ",
                                response.latest_sequence()));
}

void ShowResponse(Console& console, const v1::WatchEventsResponse& response) {
  console.Show(response,
               response.has_event() ? RenderEvent(response.event()) : RenderHeader(response));
}

Command Events(const Flags& flags) {
  v1::WatchEventsRequest request;
  request.set_after_sequence(flags.after);
  request.set_instance_id(flags.instance);
  request.set_session_id(flags.session);
  return WithGateway([request](Console& console, GatewayClient& client) mutable {
    if (request.after_sequence() != 0 && request.instance_id().empty()) {
      v1::GetNodeResponse node;
      const grpc::Status status = client.Call(&Stub::GetNode, v1::GetNodeRequest(), node);
      if (!status.ok()) return Outcome::Failed(status);
      request.set_instance_id(node.node().instance_id());
    }
    grpc::ClientContext context;
    const auto stream = client.WatchEvents(context, request);
    v1::WatchEventsResponse response;
    while (stream->Read(&response)) ShowResponse(console, response);
    const grpc::Status status = stream->Finish();
    return status.ok() ? Outcome::Ok() : Outcome::Failed(status);
  });
}

// Shows the session, then its events until the last one.
Outcome WatchUntilEnd(Console& console, GatewayClient& client, const std::string& session_id) {
  grpc::ClientContext context;
  v1::WatchEventsRequest request;
  request.set_session_id(session_id);
  const auto stream = client.WatchEvents(context, request);
  v1::WatchEventsResponse response;
  // After the first answer no event is missed; so the session is looked at only then.
  if (stream->Read(&response)) {
    ShowResponse(console, response);
    v1::GetSessionRequest get;
    get.set_session_id(session_id);
    v1::GetSessionResponse session;
    const grpc::Status status = client.Call(&Stub::GetSession, get, session);
    if (!status.ok()) {
      context.TryCancel();
      return Outcome::Failed(status);
    }
    console.Show(session, RenderSession(session.session()));
    bool ended = session.session().state() == v1::SESSION_STATE_ENDED;
    while (!ended && stream->Read(&response)) {
      ShowResponse(console, response);
      ended = response.event().has_session_ended();
    }
    if (ended) {
      context.TryCancel();
      return Outcome::Ok();
    }
  }
  const grpc::Status status = stream->Finish();
  return status.ok() ? Outcome::Ok() : Outcome::Failed(status);
}

}  // namespace

void AddEventCommands(CLI::App& app, Invocation& invocation) {
  auto flags = std::make_shared<Flags>();
  CLI::App& command = *app.add_subcommand("events", "Follow what happens on the gateway");
  command.add_option("--after", flags->after,
                     "begin with the kept events after this sequence number; default: new ones");
  command.add_option("--instance", flags->instance,
                     "the gateway instance that --after is from; default: the running one");
  command.add_option("--session", flags->session, "only events of this session");
  command.callback([&invocation, flags] { invocation.command = Events(*flags); });
  command.footer(
      "Examples:\n"
      "  sluicectl events\n"
      "  sluicectl events --after 17 --output=json");
}

void AddSessionWatch(CLI::App& session_group, Invocation& invocation) {
  auto flags = std::make_shared<Flags>();
  CLI::App& command =
      *session_group.add_subcommand("watch", "Show a session and follow its events until it ends");
  command.add_option("SESSION", flags->session, "id of the session")->required();
  command.callback([&invocation, flags] {
    invocation.command = WithGateway([flags](Console& console, GatewayClient& client) {
      return WatchUntilEnd(console, client, flags->session);
    });
  });
}

}  // namespace sluice
