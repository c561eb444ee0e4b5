#include "harness/live/live_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <chrono>
#include <deque>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "harness/report/html_report.h"
#include "harness/report/markup.h"

namespace causalcheck {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using asio::ip::tcp;
using beast::error_code;
using nlohmann::json;
using std::chrono::milliseconds;

constexpr std::size_t kConnectionsMax = 32;
constexpr std::uint32_t kHeaderBytesMax = 16 * 1024;
constexpr std::size_t kMessageBytesMax = 16 * 1024;
constexpr std::chrono::seconds kRequestLimit{30};
constexpr double kRecordsPerSecond = 4;  // at speed 1
constexpr double kSpeedMin = 0.1;
constexpr double kSpeedMax = 200;

std::string live_page(const LiveOptions& options) {
  const json data{{"title", options.title},
                  {"scenarios", options.scenarios},
                  {"faults", options.faults},
                  {"seed", options.first_seed}};
  return page_head(options.title + " live", "; connect-src 'self'") +
         "<main id=\"report\">\n<section id=\"live\"></section>\n"
         "<section id=\"run\" aria-label=\"The run\"></section>\n"
         "<noscript><p>The live view is drawn by a script. Reports show without "
         "one.</p></noscript>\n"
         "</main>\n<script type=\"application/json\" id=\"live-data\">" +
         json_for_script(data.dump(-1, ' ', false, json::error_handler_t::replace)) +
         "</script>\n" + page_script_element() + "</body>\n</html>\n";
}

/// What every connection shares.
struct Shared {
  const LiveOptions& options;
  std::string page{};
  std::vector<std::string> hosts{};  // what Host may say: "127.0.0.1:8080"
  bool any_literal = false;  // listens on every address: any of them may be named, but no name
  std::uint16_t port = 0;
  std::size_t connections = 0;

  /// Whether `host` is an address that is served here. A name could have been made to point here
  /// by whoever wrote the page that asks.
  [[nodiscard]] bool serves(const std::string& host) const {
    if (std::find(hosts.begin(), hosts.end(), host) != hosts.end()) return true;
    const std::string end = fmt::format(":{}", port);
    if (!any_literal || !host.ends_with(end)) return false;
    std::string literal = host.substr(0, host.size() - end.size());
    if (literal.starts_with('[') && literal.ends_with(']')) {
      literal = literal.substr(1, literal.size() - 2);
    }
    error_code error;
    asio::ip::make_address(literal, error);
    return !error;
  }
};

/// Counts a connection while it lives.
class Counted {
 public:
  explicit Counted(Shared& shared) : shared_(shared) { ++shared_.connections; }
  ~Counted() { --shared_.connections; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  Shared& shared_;
};

/// One WebSocket: a run, how far it was told, and at which pace it goes on.
class LiveSession : public std::enable_shared_from_this<LiveSession> {
 public:
  LiveSession(beast::tcp_stream stream, Shared& shared)
      : counted_(shared),
        shared_(shared),
        socket_(std::move(stream)),
        timer_(socket_.get_executor()) {}

  void accept(const http::request<http::empty_body>& request) {
    beast::get_lowest_layer(socket_).expires_never();
    socket_.set_option(websocket::stream_base::timeout::suggested(beast::role_type::server));
    socket_.read_message_max(kMessageBytesMax);
    socket_.async_accept(request, [self = shared_from_this()](error_code error) {
      if (error) return;
      const LiveOptions& options = self->shared_.options;
      self->open(LiveRequest{
          options.first_seed, options.scenarios.empty() ? "" : options.scenarios.front(), {}});
      self->read();
    });
  }

 private:
  void read() {
    socket_.async_read(buffer_, [self = shared_from_this()](error_code error, std::size_t) {
      if (error) {
        self->closed_ = true;
        self->timer_.cancel();
        return;
      }
      const std::string text = beast::buffers_to_string(self->buffer_.data());
      self->buffer_.consume(self->buffer_.size());
      self->obey(json::parse(text, nullptr, false));
      self->read();
    });
  }

  /// Does what a page asks; what makes no sense is answered, and changes nothing.
  void obey(const json& command) {
    const auto does = command.is_object() ? command.find("do") : command.end();
    if (!command.is_object() || does == command.end() || !does->is_string()) {
      complain("a command is an object with \"do\"");
      return;
    }
    const auto what = does->get<std::string>();
    if (what == "play") {
      playing_ = true;
      schedule();
    } else if (what == "pause") {
      playing_ = false;
      timer_.cancel();
    } else if (what == "step") {
      playing_ = false;
      timer_.cancel();
      tell_next();
    } else if (what == "speed") {
      const auto value = command.find("value");
      if (value == command.end() || !value->is_number()) {
        complain("speed wants a number");
        return;
      }
      speed_ = std::clamp(value->get<double>(), kSpeedMin, kSpeedMax);
      if (playing_) schedule();
    } else if (what == "open") {
      open(command);
    } else if (what == "save") {
      save();
    } else {
      complain("unknown command");
    }
  }

  void open(const json& command) {
    LiveRequest request;
    const auto seed = command.find("seed");
    if (seed != command.end()) {
      if (!seed->is_number_unsigned()) {
        complain("a seed is a whole number, 0 or more");
        return;
      }
      request.seed = seed->get<std::uint64_t>();
    }
    const auto scenario = command.find("scenario");
    if (scenario != command.end() && scenario->is_string()) {
      request.scenario = scenario->get<std::string>();
    }
    const std::vector<std::string>& known = shared_.options.scenarios;
    if (!request.scenario.empty() &&
        std::find(known.begin(), known.end(), request.scenario) == known.end()) {
      complain("there is no such scenario here");
      return;
    }
    const auto faults = command.find("faults");
    if (faults != command.end() && faults->is_array()) {
      for (const json& fault : *faults) {
        const std::vector<std::string>& kinds = shared_.options.faults;
        if (!fault.is_string() ||
            std::find(kinds.begin(), kinds.end(), fault.get<std::string>()) == kinds.end()) {
          complain("there is no such fault here");
          return;
        }
        request.faults.push_back(fault.get<std::string>());
      }
    }
    open(request);
  }

  void open(const LiveRequest& request) {
    timer_.cancel();
    Attempt<LiveRun> made = shared_.options.make(request);
    if (!made) {
      complain(made.error().text);
      return;
    }
    request_ = request;
    run_ = std::move(*made);
    next_ = 0;
    tell_next();
    if (playing_) schedule();
  }

  void save() {
    if (next_ < run_.records.size()) {
      complain("watch the run to its end before it is saved");
      return;
    }
    const Attempt<std::string> folder = shared_.options.save(request_, run_);
    if (!folder) {
      complain(folder.error().text);
      return;
    }
    send(json{{"type", "saved"}, {"folder", *folder}});
  }

  void schedule() {
    if (closed_ || next_ >= run_.records.size()) return;
    const auto pause = std::chrono::duration<double>(1 / (kRecordsPerSecond * speed_));
    timer_.expires_after(std::chrono::duration_cast<std::chrono::steady_clock::duration>(pause));
    timer_.async_wait([self = shared_from_this()](error_code error) {
      if (error || self->closed_ || !self->playing_) return;
      // A page that reads slower than this is waited for.
      if (self->outgoing_.size() < kOutgoingMax) self->tell_next();
      self->schedule();
    });
  }

  void tell_next() {
    if (next_ >= run_.records.size()) return;
    outgoing_.push_back(run_.records[next_++]);
    if (outgoing_.size() == 1) write();
  }

  void complain(std::string_view text) { send(json{{"type", "refused"}, {"why", text}}); }

  void send(const json& message) {
    if (outgoing_.size() >= kRepliesMax) return;  // it asks faster than it reads
    outgoing_.push_back(message.dump(-1, ' ', false, json::error_handler_t::replace));
    if (outgoing_.size() == 1) write();
  }

  void write() {
    socket_.text(true);
    socket_.async_write(asio::buffer(outgoing_.front()),
                        [self = shared_from_this()](error_code error, std::size_t) {
                          if (error) {
                            self->closed_ = true;
                            return;
                          }
                          self->outgoing_.pop_front();
                          if (!self->outgoing_.empty()) self->write();
                        });
  }

  static constexpr std::size_t kOutgoingMax = 16;
  static constexpr std::size_t kRepliesMax = 256;

  Counted counted_;
  Shared& shared_;
  websocket::stream<beast::tcp_stream> socket_;
  asio::steady_timer timer_;
  beast::flat_buffer buffer_{};
  std::deque<std::string> outgoing_{};
  LiveRequest request_{};
  LiveRun run_{};
  std::size_t next_ = 0;
  bool playing_ = true;
  bool closed_ = false;
  double speed_ = 1;
};

/// One HTTP connection, until it ends or becomes a WebSocket.
class HttpSession : public std::enable_shared_from_this<HttpSession> {
 public:
  HttpSession(tcp::socket socket, Shared& shared)
      : counted_(shared), shared_(shared), stream_(std::move(socket)) {}

  void read() {
    parser_.emplace();
    parser_->header_limit(kHeaderBytesMax);
    stream_.expires_after(kRequestLimit);
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](error_code error, std::size_t) {
                       if (error) {
                         self->close();
                       } else {
                         self->answer();
                       }
                     });
  }

 private:
  void answer() {
    const http::request<http::empty_body>& request = parser_->get();
    const std::string host(request[http::field::host]);
    if (!shared_.serves(host)) {
      respond(http::status::forbidden, "text/plain", "This address is not served here.\n");
      return;
    }
    if (websocket::is_upgrade(request) && request.target() == "/live") {
      // Other sites' pages may open a WebSocket to anywhere; only the browser says from where.
      if (request[http::field::origin] != "http://" + host) {
        respond(http::status::forbidden, "text/plain", "Only the page served here may do this.\n");
        return;
      }
      std::make_shared<LiveSession>(std::move(stream_), shared_)->accept(request);
      return;
    }
    if (request.method() != http::verb::get && request.method() != http::verb::head) {
      respond(http::status::method_not_allowed, "text/plain", "Only GET is served.\n");
    } else if (request.target() == "/") {
      respond(http::status::ok, "text/html; charset=utf-8", shared_.page);
    } else {
      respond(http::status::not_found, "text/plain", "There is one page here: /\n");
    }
  }

  void respond(http::status status, std::string_view type, std::string_view body) {
    const http::request<http::empty_body>& request = parser_->get();
    response_ = {};
    response_.version(request.version());
    response_.result(status);
    response_.set(http::field::content_type, beast::string_view(type.data(), type.size()));
    response_.set(http::field::cache_control, "no-store");
    response_.set("X-Content-Type-Options", "nosniff");
    response_.set("X-Frame-Options", "DENY");
    response_.set("Referrer-Policy", "no-referrer");
    response_.set("Cross-Origin-Resource-Policy", "same-origin");
    response_.keep_alive(request.keep_alive());
    if (request.method() == http::verb::head) {
      response_.content_length(body.size());
    } else {
      response_.body() = std::string(body);
      response_.prepare_payload();
    }
    // A HEAD's length is that of a body it does not carry.
    serializer_.emplace(response_);
    const auto done = [self = shared_from_this()](error_code error, std::size_t) {
      if (error || !self->response_.keep_alive()) {
        self->close();
      } else {
        self->read();
      }
    };
    if (request.method() == http::verb::head) {
      http::async_write_header(stream_, *serializer_, done);
    } else {
      http::async_write(stream_, *serializer_, done);
    }
  }

  void close() {
    error_code ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
  }

  Counted counted_;
  Shared& shared_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_{};
  std::optional<http::request_parser<http::empty_body>> parser_{};
  http::response<http::string_body> response_{};
  std::optional<http::response_serializer<http::string_body>> serializer_{};
};

void accept(tcp::acceptor& acceptor, Shared& shared) {
  acceptor.async_accept([&acceptor, &shared](error_code error, tcp::socket socket) {
    if (!acceptor.is_open()) return;
    // Too many: this one is closed at once, the others go on.
    if (!error && shared.connections < kConnectionsMax) {
      std::make_shared<HttpSession>(std::move(socket), shared)->read();
    }
    accept(acceptor, shared);
  });
}

}  // namespace

Attempt<void> serve_live(const LiveOptions& options) {
  error_code error;
  const asio::ip::address address = asio::ip::make_address(options.address, error);
  if (error) return Refusal::because("\"" + options.address + "\" is no IP address");
  asio::io_context context(1);
  tcp::acceptor acceptor(context);
  const tcp::endpoint wanted(address, options.port);
  acceptor.open(wanted.protocol(), error);
  if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
  if (!error) acceptor.bind(wanted, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) {
    return Refusal::because(fmt::format("{} port {} cannot be listened on: {}", options.address,
                                        options.port, error.message()));
  }
  const std::uint16_t port = acceptor.local_endpoint().port();
  const std::string literal =
      address.is_v6() ? "[" + address.to_string() + "]" : address.to_string();
  Shared shared{options,
                live_page(options),
                {fmt::format("{}:{}", literal, port)},
                address.is_unspecified(),
                port};
  if (address.is_loopback()) shared.hosts.push_back(fmt::format("localhost:{}", port));
  asio::signal_set signals(context, SIGINT, SIGTERM);
  signals.async_wait([&context](error_code, int) { context.stop(); });
  accept(acceptor, shared);
  if (options.ready) options.ready(fmt::format("http://{}:{}/", literal, port));
  context.run();
  return {};
}

}  // namespace causalcheck
