// curl_request: one HTTP/3 request by libcurl, printed as the version and status of HTTP, the
// fields, and the body. The library is looked up when it runs: Debian 12's own has no HTTP/3, and
// LD_LIBRARY_PATH says where one is that has.

#include <dlfcn.h>

#include <cstddef>
#include <iostream>
#include <string>
#include <vector>

#include "absl/cleanup/cleanup.h"

namespace sluice {
namespace {

// Of libcurl's ABI, which has not changed any of them since they are there (curl/curl.h).
enum CurlOption : int {
  kCustomRequest = 10'036,
  kErrorBuffer = 10'010,
  kHeaderData = 10'029,
  kHeaderFunction = 20'079,
  kHttpHeader = 10'023,
  kHttpVersion = 84,
  kCaInfo = 10'065,
  kPostFields = 10'015,
  kPostFieldSize = 60,
  kResolve = 10'203,
  kTimeoutMs = 155,
  kUrl = 10'002,
  kWriteData = 10'001,
  kWriteFunction = 20'011,
};
// CURL_HTTP_VERSION_3ONLY: nothing else is tried.
constexpr long kHttp3Only = 31;
constexpr int kInfoResponseCode = 0x20'0002;
constexpr int kInfoHttpVersion = 0x20'002E;
constexpr size_t kErrorSize = 256;
constexpr long kTimeout = 20'000;

using Call = int (*)(void*, int, ...);

size_t Append(char* data, size_t size, size_t count, void* to) {
  static_cast<std::string*>(to)->append(data, size * count);
  return size * count;
}

struct Arguments {
  std::string url;
  std::string method;
  std::string body;
  std::string ca;
  std::string resolve;
  std::vector<std::string> fields;
};

// Everything is "--name value"; the rest is the URL.
bool Parse(int argc, char** argv, Arguments& arguments) {
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name.rfind("--", 0) != 0) {
      arguments.url = name;
      continue;
    }
    if (++i >= argc) return false;
    if (name == "--method") {
      arguments.method = argv[i];
    } else if (name == "--body") {
      arguments.body = argv[i];
    } else if (name == "--ca") {
      arguments.ca = argv[i];
    } else if (name == "--resolve") {
      arguments.resolve = argv[i];
    } else if (name == "--field") {
      arguments.fields.emplace_back(argv[i]);
    } else {
      return false;
    }
  }
  return !arguments.url.empty();
}

template <typename Function>
Function Symbol(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

int Request(void* library, const Arguments& arguments) {
  const auto init = Symbol<void* (*)()>(library, "curl_easy_init");
  const auto set = Symbol<Call>(library, "curl_easy_setopt");
  const auto get = Symbol<Call>(library, "curl_easy_getinfo");
  const auto perform = Symbol<int (*)(void*)>(library, "curl_easy_perform");
  const auto append = Symbol<void* (*)(void*, const char*)>(library, "curl_slist_append");
  const auto clean_up = Symbol<void (*)(void*)>(library, "curl_easy_cleanup");
  const auto clean_up_all = Symbol<void (*)()>(library, "curl_global_cleanup");
  const auto free_list = Symbol<void (*)(void*)>(library, "curl_slist_free_all");
  if (init == nullptr || set == nullptr || get == nullptr || perform == nullptr ||
      append == nullptr || clean_up == nullptr || clean_up_all == nullptr || free_list == nullptr) {
    std::cerr << "curl_request: this libcurl lacks a function\n";
    return 1;
  }
  std::string head;
  std::string body;
  char error[kErrorSize] = "";
  void* fields = nullptr;
  void* addresses = nullptr;
  void* const curl = init();
  // The lists are in use until the handle is gone.
  const absl::Cleanup free_all = [&] {
    clean_up(curl);
    free_list(fields);
    free_list(addresses);
    clean_up_all();
  };
  for (const std::string& field : arguments.fields) fields = append(fields, field.c_str());
  set(curl, kUrl, arguments.url.c_str());
  set(curl, kHttpVersion, kHttp3Only);
  set(curl, kTimeoutMs, kTimeout);
  set(curl, kErrorBuffer, error);
  set(curl, kHeaderFunction, &Append);
  set(curl, kHeaderData, &head);
  set(curl, kWriteFunction, &Append);
  set(curl, kWriteData, &body);
  if (!arguments.ca.empty()) set(curl, kCaInfo, arguments.ca.c_str());
  if (!arguments.resolve.empty()) {
    addresses = append(nullptr, arguments.resolve.c_str());
    set(curl, kResolve, addresses);
  }
  if (fields != nullptr) set(curl, kHttpHeader, fields);
  if (arguments.method == "POST") {
    set(curl, kPostFieldSize, static_cast<long>(arguments.body.size()));
    set(curl, kPostFields, arguments.body.c_str());
  } else if (!arguments.method.empty()) {
    set(curl, kCustomRequest, arguments.method.c_str());
  }
  const int result = perform(curl);
  if (result != 0) {
    std::cerr << "curl_request: " << result << " " << error << '\n';
    return 1;
  }
  long status = 0;
  long version = 0;
  get(curl, kInfoResponseCode, &status);
  get(curl, kInfoHttpVersion, &version);
  // 30 is HTTP/3.
  std::cout << "version " << version << " status " << status << '\n' << head << body;
  return 0;
}

int Main(int argc, char** argv) {
  Arguments arguments;
  if (!Parse(argc, argv, arguments)) {
    std::cerr << "Usage: curl_request [--method M] [--body TEXT] [--ca FILE] [--field 'N: V']... "
                 "[--resolve HOST:PORT:ADDR] URL\n";
    return 2;
  }
  void* const library = dlopen("libcurl-gnutls.so.4", RTLD_NOW);
  if (library == nullptr) {
    std::cerr << "curl_request: " << dlerror() << '\n';
    return 1;
  }
  return Request(library, arguments);
}

}  // namespace
}  // namespace sluice

int main(int argc, char** argv) { return sluice::Main(argc, argv); }
