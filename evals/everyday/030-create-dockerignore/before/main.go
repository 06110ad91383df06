package main

import (
	"encoding/json"
	"log"
	"net/http"
	"os"
)

type departure struct {
	Line string `json:"line"`
	Pier int    `json:"pier"`
	Time string `json:"time"`
}

func load(path string) ([]departure, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var departures []departure
	return departures, json.Unmarshal(data, &departures)
}

func main() {
	departures, err := load(os.Getenv("TIMETABLE"))
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("/departures", func(w http.ResponseWriter, r *http.Request) {
		json.NewEncoder(w).Encode(departures)
	})
	log.Fatal(http.ListenAndServe(":7070", nil))
}
