package main

import (
	"log"
	"net/http"
	"time"

	"example.org/ferry/internal/timetable"
)

const (
	apiAddr     = ":8080"
	metricsAddr = ":8081"
)

func main() {
	table, err := timetable.Load("/data/timetable.json")
	if err != nil {
		log.Fatal(err)
	}

	go func() {
		log.Fatal(http.ListenAndServe(metricsAddr, timetable.Metrics(table)))
	}()

	server := &http.Server{
		Addr:         apiAddr,
		Handler:      timetable.Handler(table),
		ReadTimeout:  5 * time.Second,
		WriteTimeout: 10 * time.Second,
	}
	log.Printf("listening on %s", apiAddr)
	log.Fatal(server.ListenAndServe())
}
