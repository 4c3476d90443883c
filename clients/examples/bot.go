// A bot in Go without an SDK: it raises with a pair or two high cards, calls what is cheap, else checks or folds.
// POKERD_URL says where, POKERD_NAME or POKERD_TOKEN who.
package main

import (
	"encoding/json"
	"log"
	"os"
	"strings"

	"github.com/gorilla/websocket"
)

// Message has the fields of every message that this bot reads; what it does not know is ignored.
type Message struct {
	Type, Table, Code, Message string
	Fatal                      bool
	Turn, Call                 int
	RaiseTo                    []int `json:"raise_to"`
	Big                        int   `json:"big_blind"`
	Hole                       []string
	Game                       struct{ Blinds []int }
	Tables                     []struct{ Table string }
}

type object map[string]any

// Seat is what the bot remembers of a table.
type Seat struct {
	big  int
	hole []string
}

var seats = map[string]*Seat{} // by table

func answer(m Message) object {
	seat := seats[m.Table]
	switch m.Type {
	case "welcome":
		if len(m.Tables) > 0 {
			return object{"type": "join", "table": m.Tables[0].Table}
		}
	case "match_start":
		seat = &Seat{big: 1}
		for _, blind := range m.Game.Blinds {
			seat.big = clamp(blind, seat.big, blind)
		}
		seats[m.Table] = seat
		return object{"type": "ready", "table": m.Table}
	case "hand_start":
		seat.hole = m.Hole
	case "level":
		seat.big = m.Big
	case "turn":
		act := object{"type": "act", "table": m.Table, "turn": m.Turn, "action": "fold"}
		if good := strong(seat.hole); good && m.RaiseTo != nil {
			act["action"], act["to"] = "raise", clamp(3*seat.big, m.RaiseTo[0], m.RaiseTo[1])
		} else if good || m.Call <= seat.big { // a check costs 0
			act["action"] = "call"
		}
		return act
	case "match_end":
		delete(seats, m.Table)
	case "error":
		log.Printf("%s: %s", m.Code, m.Message)
		if m.Fatal {
			os.Exit(1)
		}
	}
	return nil
}

func strong(hole []string) bool {
	a, b := strings.IndexByte("23456789TJQKA", hole[0][0]), strings.IndexByte("23456789TJQKA", hole[1][0])
	return a == b || a >= 8 && b >= 8
}

func clamp(value, least, most int) int {
	if value < least {
		return least
	} else if value > most {
		return most
	}
	return value
}

func main() {
	dialer := websocket.Dialer{Subprotocols: []string{"pokerd.v1.json"}}
	socket, _, err := dialer.Dial(os.Getenv("POKERD_URL"), nil)
	if err != nil {
		log.Fatal(err)
	}
	hello := object{"type": "hello", "name": os.Getenv("POKERD_NAME"), "token": os.Getenv("POKERD_TOKEN"), "tables": 16}
	for answers := []object{hello}; ; {
		if len(answers) > 0 && socket.WriteJSON(answers) != nil {
			log.Fatal("the server is gone")
		}
		_, frame, err := socket.ReadMessage()
		if websocket.IsCloseError(err, websocket.CloseNormalClosure) {
			return
		} else if err != nil {
			log.Fatal(err)
		}
		if frame[0] != '[' { // a frame holds one message or an array of them
			frame = []byte("[" + string(frame) + "]")
		}
		var messages []Message
		if err := json.Unmarshal(frame, &messages); err != nil {
			log.Fatal(err)
		}
		answers = answers[:0]
		for _, message := range messages {
			if reply := answer(message); reply != nil {
				answers = append(answers, reply)
			}
		}
	}
}
