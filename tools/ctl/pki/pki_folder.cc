#include "tools/ctl/pki/pki_folder.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tools/ctl/new_file.h"

namespace sluice {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kPublic = 0644;
constexpr mode_t kSecret = 0600;

struct PkiFile {
  std::string path;
  const std::string& content;
  mode_t mode;
};

absl::Status MakeFolder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(fs::path(folder).parent_path(), error);
  const bool made = fs::create_directory(folder, error);
  if (error) {
    return absl::FailedPreconditionError(
        absl::StrCat("cannot make the folder ", folder, ": ", error.message()));
  }
  // What was there keeps the permissions that somebody chose.
  if (made) fs::permissions(folder, fs::perms::owner_all, error);
  return absl::OkStatus();
}

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string content((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file || content.empty()) {
    return absl::NotFoundError(absl::StrCat(
        "cannot read ", path, "; `sluicectl pki init` makes it, --tls-dir names its folder"));
  }
  return content;
}

std::vector<std::string> AllHosts(const std::vector<std::string>& wanted) {
  std::vector<std::string> hosts = {"localhost", "127.0.0.1", "::1"};
  for (const std::string& host : wanted) {
    if (std::find(hosts.begin(), hosts.end(), host) == hosts.end()) hosts.push_back(host);
  }
  return hosts;
}

absl::Status CheckNothingLost(const std::vector<PkiFile>& files) {
  for (const PkiFile& file : files) {
    std::error_code error;
    if (fs::exists(fs::symlink_status(file.path, error))) {
      return absl::AlreadyExistsError(absl::StrCat(
          file.path, " is there already; --force replaces the authority and all certificates"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> WriteAll(const std::vector<PkiFile>& files) {
  // First all contents, then all names: a full disk is noticed before anything is replaced.
  std::vector<NewFile> written;
  for (const PkiFile& file : files) {
    absl::StatusOr<NewFile> next = NewFile::Write(file.path, file.content, file.mode);
    if (!next.ok()) return next.status();
    written.push_back(*std::move(next));
  }
  std::vector<std::string> paths;
  for (NewFile& file : written) {
    if (absl::Status status = file.Publish(); !status.ok()) return status;
    paths.push_back(file.path());
  }
  return paths;
}

}  // namespace

absl::StatusOr<std::string> DefaultPkiFolder() {
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state != '\0') {
    return absl::StrCat(state, "/sluice/pki");
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') {
    return absl::StrCat(home, "/.local/state/sluice/pki");
  }
  return absl::FailedPreconditionError(
      "neither XDG_STATE_HOME nor HOME is set: name the folder of the certificates");
}

absl::StatusOr<std::vector<std::string>> InitPkiFolder(const PkiRequest& request) {
  const std::vector<std::string> hosts = AllHosts(request.hosts);
  absl::StatusOr<CertificateAuthority> authority = CertificateAuthority::Create(request.validity);
  if (!authority.ok()) return authority.status();
  const absl::StatusOr<PemIdentity> server = authority->IssueServer(hosts);
  if (!server.ok()) return server.status();
  const absl::StatusOr<PemIdentity> client = authority->IssueClient("sluicectl");
  if (!client.ok()) return client.status();

  const auto path = [&](const char* name) { return (fs::path(request.folder) / name).string(); };
  const std::vector<PkiFile> files = {
      {path(kAuthorityCertificateFile), authority->identity().certificate, kPublic},
      {path(kAuthorityKeyFile), authority->identity().private_key, kSecret},
      {path(kServerCertificateFile), server->certificate, kPublic},
      {path(kServerKeyFile), server->private_key, kSecret},
      {path(kClientCertificateFile), client->certificate, kPublic},
      {path(kClientKeyFile), client->private_key, kSecret},
  };
  if (!request.force) {
    if (absl::Status status = CheckNothingLost(files); !status.ok()) return status;
  }
  if (absl::Status status = MakeFolder(request.folder); !status.ok()) return status;
  return WriteAll(files);
}

absl::StatusOr<std::string> ReadAuthorityCertificate(const std::string& folder) {
  return ReadFile((fs::path(folder) / kAuthorityCertificateFile).string());
}

absl::StatusOr<ClientPki> ReadClientPki(const std::string& folder, absl::Time now) {
  ClientPki pki;
  const std::pair<const char*, std::string*> kFiles[] = {
      {kAuthorityCertificateFile, &pki.authority_certificate},
      {kClientCertificateFile, &pki.client.certificate},
      {kClientKeyFile, &pki.client.private_key},
  };
  for (const auto& [name, content] : kFiles) {
    absl::StatusOr<std::string> text = ReadFile((fs::path(folder) / name).string());
    if (!text.ok()) return text.status();
    *content = *std::move(text);
  }
  const absl::StatusOr<absl::Time> end = CertificateEnd(pki.client.certificate);
  if (!end.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(folder, "/", kClientCertificateFile, ": ", end.status().message()));
  }
  if (*end < now) {
    return absl::FailedPreconditionError(absl::StrCat(
        folder, "/", kClientCertificateFile, " expired on ",
        absl::FormatTime("%Y-%m-%d", *end, absl::UTCTimeZone()),
        "; `sluicectl pki init --force` makes new ones, the gateway needs a restart then"));
  }
  return pki;
}

}  // namespace sluice
