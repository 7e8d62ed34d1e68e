#include "tools/ctl/session_commands.h"

#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tools/ctl/session_flags.h"
#include "tools/ctl/session_view.h"
#include "tools/ctl/stats_view.h"
#include "tools/ctl/text_table.h"

namespace sluice {
namespace {

namespace v1 = ::sluice::gateway::v1;
using Stub = GatewayClient::Stub;

// Everything that one of these commands may be given.
struct Flags {
  std::string id;
  SessionFlags config;
  std::string prefix;
  std::vector<std::string> labels;
  bool ended = false;
  std::vector<std::string> rules;
  bool nobody = false;
};

Command Create(const Flags& flags) {
  const auto config = BuildSessionConfig(flags.config);
  if (!config.ok()) return Refuse(config.status());
  v1::CreateSessionRequest request;
  request.set_session_id(flags.id);
  *request.mutable_config() = *config;
  return Ask(&Stub::CreateSession, request, [](const v1::CreateSessionResponse& answer) {
    return RenderSession(answer.session());
  });
}

Command Get(const Flags& flags) {
  v1::GetSessionRequest request;
  request.set_session_id(flags.id);
  return Ask(&Stub::GetSession, request,
             [](const v1::GetSessionResponse& answer) { return RenderSession(answer.session()); });
}

Command Update(const Flags& flags) {
  const auto config = BuildSessionConfig(flags.config);
  if (!config.ok()) return Refuse(config.status());
  v1::UpdateSessionRequest request;
  request.set_session_id(flags.id);
  *request.mutable_config() = *config;
  *request.mutable_update_mask() = BuildSessionUpdateMask(flags.config);
  if (request.update_mask().paths().empty()) {
    return Refuse(absl::InvalidArgumentError("nothing to update: give a timeout or a label"));
  }
  return Ask(&Stub::UpdateSession, request, [](const v1::UpdateSessionResponse& answer) {
    return RenderSession(answer.session());
  });
}

Command Delete(const Flags& flags) {
  v1::DeleteSessionRequest request;
  request.set_session_id(flags.id);
  return Ask(&Stub::DeleteSession, request, [](const v1::DeleteSessionResponse& answer) {
    return absl::StrCat("deleted; final statistics:\n",
                        RenderStats(answer.final_stats(), {}, false));
  });
}

// Asks for page after page; scripts get all sessions in one answer.
Command List(const Flags& flags) {
  const auto filter = BuildSessionFilter(flags.prefix, flags.labels, flags.ended);
  if (!filter.ok()) return Refuse(filter.status());
  v1::ListSessionsRequest request;
  // The most that the gateway gives.
  request.set_page_size(1000);
  *request.mutable_filter() = *filter;
  return WithGateway([request](Console& console, GatewayClient& client) mutable {
    v1::ListSessionsResponse all;
    do {
      v1::ListSessionsResponse page;
      const grpc::Status status = client.Call(&Stub::ListSessions, request, page);
      if (!status.ok()) return Outcome::Failed(status);
      request.set_page_token(page.next_page_token());
      all.mutable_sessions()->MergeFrom(page.sessions());
    } while (!request.page_token().empty());
    const std::vector<v1::Session> sessions(all.sessions().begin(), all.sessions().end());
    console.Show(all, RenderSessions(sessions));
    return Outcome::Ok();
  });
}

Command SetForwarding(const Flags& flags) {
  const auto rules = ParseForwarding(flags.rules);
  if (!rules.ok()) return Refuse(rules.status());
  if (rules->empty() != flags.nobody) {
    return Refuse(absl::InvalidArgumentError(
        "give rules such as alice=bob, or --nobody for a table without any"));
  }
  v1::SetForwardingRequest request;
  request.set_session_id(flags.id);
  for (const v1::ForwardingRule& rule : *rules) *request.add_rules() = rule;
  return Ask(&Stub::SetForwarding, request, [](const v1::SetForwardingResponse& answer) {
    return RenderSession(answer.session());
  });
}

// A subcommand on one session.
CLI::App& Add(CLI::App& group, Invocation& invocation, const char* name, const char* description,
              const std::shared_ptr<Flags>& flags, Command (*make)(const Flags&)) {
  CLI::App& command = *group.add_subcommand(name, description);
  command.callback([&invocation, flags, make] { invocation.command = make(*flags); });
  return command;
}

void AddId(CLI::App& command, Flags& flags) {
  command.add_option("SESSION", flags.id, "id of the session")->required();
}

void AddConfigFlags(CLI::App& command, SessionFlags& flags) {
  command.add_option("--idle-timeout", flags.idle_timeout,
                     "end it when no packet was accepted for this long, such as 30s");
  command.add_option("--offer-timeout", flags.offer_timeout,
                     "end it when no media arrived at all within this time, such as 1m");
  command.add_option("--absolute-timeout", flags.absolute_timeout,
                     "end it whatever happens, such as 2h");
  command.add_option("--hold-timeout", flags.hold_timeout,
                     "instead of --idle-timeout while every leg is on hold");
  command.add_option("--label", flags.labels, "KEY=VALUE, for your own use; may be repeated")
      ->expected(1)
      ->take_all();
}

}  // namespace

void AddSessionCommands(CLI::App& app, Invocation& invocation) {
  CLI::App& session = *app.add_subcommand("session", "Calls: create, look at, change, end them");
  session.require_subcommand(1);
  auto flags = std::make_shared<Flags>();

  CLI::App& create =
      Add(session, invocation, "create", "Make a session; a repeat changes nothing", flags, Create);
  AddId(create, *flags);
  AddConfigFlags(create, flags->config);
  create.footer(
      "Example:\n  sluicectl session create call-1 --idle-timeout 30s --label tenant=acme");

  AddId(Add(session, invocation, "get", "Show a session, also one that has ended", flags, Get),
        *flags);

  CLI::App& list = Add(session, invocation, "list", "List sessions by id", flags, List);
  list.add_option("--prefix", flags->prefix, "only ids that begin with this");
  list.add_option("--label", flags->labels, "only those with KEY=VALUE; may be repeated")
      ->expected(1)
      ->take_all();
  list.add_flag("--ended", flags->ended, "those that have ended, while they are kept");
  list.footer("Example:\n  sluicectl session list --label tenant=acme");

  CLI::App& update = Add(session, invocation, "update", "Change timeouts or labels", flags, Update);
  AddId(update, *flags);
  AddConfigFlags(update, flags->config);
  update.add_flag("--no-labels", flags->config.no_labels, "remove all labels");
  update.footer("Example:\n  sluicectl session update call-1 --idle-timeout 5m");

  AddId(Add(session, invocation, "delete", "End a session and show its final statistics", flags,
            Delete),
        *flags);

  CLI::App& forwarding = *app.add_subcommand("forwarding", "Who gets whose packets");
  forwarding.require_subcommand(1);
  CLI::App& set =
      Add(forwarding, invocation, "set",
          "Replace the forwarding table; two legs are bridged without one", flags, SetForwarding);
  AddId(set, *flags);
  set.add_option("RULE", flags->rules, "FROM=TO[,TO...]");
  set.add_flag("--nobody", flags->nobody, "an empty table: nobody gets anything");
  set.footer(
      "Example:\n"
      "  sluicectl forwarding set call-1 alice=bob bob=alice,recorder\n"
      "\n"
      "Legs that no rule begins with send to nobody.");
}

}  // namespace sluice
