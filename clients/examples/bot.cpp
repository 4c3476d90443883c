// A bot in C++ without an SDK: it raises with a pair or two high cards, calls what is cheap, else checks or folds.
// g++ -std=c++17 -O1 bot.cpp -pthread; needs Boost.Beast and nlohmann-json. POKERD_URL says where, POKERD_NAME or
// POKERD_TOKEN who.
#include <algorithm>
#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/websocket.hpp>
#include <cstdlib>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>

namespace beast = boost::beast;
namespace websocket = beast::websocket;
using nlohmann::json;
using tcp = boost::asio::ip::tcp;

/// What the bot remembers of a table.
struct Seat {
    long big = 1;
    std::vector<std::string> hole;
};

std::map<std::string, Seat> seats;
bool failed = false;

bool strong(const std::vector<std::string>& hole) {
    const std::string ranks = "23456789TJQKA";
    auto a = ranks.find(hole.at(0)[0]), b = ranks.find(hole.at(1)[0]);
    return a == b || (a >= 8 && b >= 8);
}

json act(const json& message, const Seat& seat) {
    json reply = {{"type", "act"}, {"table", message["table"]}, {"turn", message["turn"]}, {"action", "fold"}};
    const json& raise = message["raise_to"];
    if (strong(seat.hole) && !raise.is_null()) {
        reply["action"] = "raise";
        reply["to"] = std::clamp(3 * seat.big, raise[0].get<long>(), raise[1].get<long>());
    } else if (strong(seat.hole) || message["call"] <= seat.big) {
        reply["action"] = "call";
    }
    return reply;
}

/// What to say to a message, or null; types that are not known here are ignored.
json answer(const json& message) {
    const std::string type = message["type"], table = message.value("table", "");
    if (type == "welcome" && message.contains("tables"))
        return {{"type", "join"}, {"table", message["tables"][0]["table"]}};
    if (type == "match_start") {
        const json& blinds = message["game"]["blinds"];
        seats[table].big = *std::max_element(blinds.begin(), blinds.end());
        return {{"type", "ready"}, {"table", table}};
    }
    if (type == "hand_start") seats[table].hole = message.value("hole", std::vector<std::string>{});
    if (type == "level") seats[table].big = message["big_blind"];
    if (type == "turn") return act(message, seats[table]);
    if (type == "match_end") seats.erase(table);
    if (type == "error") {
        std::cerr << message["code"] << ": " << message["message"] << std::endl;
        failed = failed || message.value("fatal", false);
    }
    return nullptr;
}

std::string setting(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

int main() try {
    std::smatch url;
    const std::string text = setting("POKERD_URL");
    if (!std::regex_match(text, url, std::regex("ws://([^:/]+|\\[.*\\]):(\\d+)(/.*)?")))
        throw std::runtime_error("POKERD_URL is no ws://HOST:PORT");
    boost::asio::io_context context;
    websocket::stream<tcp::socket> socket(context);
    boost::asio::connect(socket.next_layer(), tcp::resolver(context).resolve(url[1].str(), url[2].str()));
    socket.next_layer().set_option(tcp::no_delay(true));
    socket.set_option(websocket::stream_base::decorator([](websocket::request_type& request) {
        request.set(boost::beast::http::field::sec_websocket_protocol, "pokerd.v1.json");
    }));
    socket.handshake(url[1].str() + ":" + url[2].str(), url[3].matched ? url[3].str() : "/");
    json hello = {{"type", "hello"}, {"name", setting("POKERD_NAME")}, {"token", setting("POKERD_TOKEN")}, {"tables", 16}};
    for (json answers = json::array({hello});;) {
        if (!answers.empty()) socket.write(boost::asio::buffer(answers.dump()));
        beast::flat_buffer buffer;
        beast::error_code error;
        socket.read(buffer, error);
        if (error == websocket::error::closed) return failed || socket.reason().code != websocket::close_code::normal;
        if (error) throw beast::system_error(error);
        json frame = json::parse(beast::buffers_to_string(buffer.data()));
        if (!frame.is_array()) frame = json::array({frame});  // a frame holds one message or an array of them
        answers = json::array();
        for (const json& message : frame)
            if (json reply = answer(message); !reply.is_null()) answers.push_back(reply);
    }
} catch (const std::exception& error) {
    std::cerr << error.what() << std::endl;
    return 1;
}
