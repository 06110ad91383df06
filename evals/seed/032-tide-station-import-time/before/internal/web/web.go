// Package web serves the levels.
package web

import (
	"encoding/json"
	"net/http"
	"time"

	"example.org/tidestation/internal/chart"
	"example.org/tidestation/internal/store"
	"example.org/tidestation/internal/tide"
)

// Handler has the routes of the station.
func Handler(levels *store.Store) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/levels", func(w http.ResponseWriter, r *http.Request) {
		reply(w, levels.Since(time.Now().Add(-24*time.Hour)))
	})
	mux.HandleFunc("/turns", func(w http.ResponseWriter, r *http.Request) {
		reply(w, tide.Turns(levels.Since(time.Now().Add(-48*time.Hour)), 90))
	})
	mux.HandleFunc("/chart.svg", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "image/svg+xml")
		chart.Draw(w, levels.Since(time.Now().Add(-24*time.Hour)))
	})
	return mux
}

func reply(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(value); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}
