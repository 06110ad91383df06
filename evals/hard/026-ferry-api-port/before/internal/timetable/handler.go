package timetable

import (
	"encoding/json"
	"net/http"
)

// Handler serves the departures of a port as JSON.
func Handler(t *Table) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /departures/{port}", func(w http.ResponseWriter, r *http.Request) {
		list, ok := t.Departures(r.PathValue("port"))
		if !ok {
			http.Error(w, "unknown port", http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(list)
	})
	return mux
}
