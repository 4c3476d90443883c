// Tests of the bot, without a server: g++ -std=c++17 bot_test.cpp -pthread -o bot_test && ./bot_test
#define main play
#include "bot.cpp"
#undef main
#undef NDEBUG
#include <cassert>

/// What the bot answers to a bet of 200 when it holds these cards.
json decide(const std::vector<std::string>& hole) {
    answer({{"type", "match_start"}, {"table", "t"}, {"game", {{"blinds", {50, 100}}}}});
    answer({{"type", "hand_start"}, {"table", "t"}, {"hole", hole}});
    return answer({{"type", "turn"}, {"table", "t"}, {"turn", 3}, {"call", 200}, {"raise_to", {500, 20000}}});
}

int main() {
    const json raise = {{"type", "act"}, {"table", "t"}, {"turn", 3}, {"action", "raise"}, {"to", 500}};
    assert(decide({"Ah", "Ad"}) == raise);
    assert(decide({"7h", "2d"})["action"] == "fold");
    std::cout << "all tests passed" << std::endl;
}
