// Tests of the bot, without a server: go test bot.go bot_test.go

package main

import (
	"encoding/json"
	"testing"
)

// decide returns what the bot answers to a bet of 200 when it holds the cards, such as `"Ah", "Ad"`.
func decide(t *testing.T, hole string) (reply object) {
	for _, text := range []string{
		`{"type": "match_start", "table": "t", "game": {"blinds": [50, 100]}}`,
		`{"type": "hand_start", "table": "t", "hole": [` + hole + `]}`,
		`{"type": "turn", "table": "t", "turn": 3, "fold": true, "call": 200, "raise_to": [500, 20000]}`,
	} {
		var message Message
		if err := json.Unmarshal([]byte(text), &message); err != nil {
			t.Fatal(err)
		}
		reply = answer(message)
	}
	return reply
}

func TestItRaisesWithAces(t *testing.T) {
	if act := decide(t, `"Ah", "Ad"`); act["action"] != "raise" || act["to"] != 500 {
		t.Error(act)
	}
}

func TestItFoldsAWeakHand(t *testing.T) {
	if act := decide(t, `"7h", "2d"`); act["action"] != "fold" {
		t.Error(act)
	}
}
