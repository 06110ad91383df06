package server

import (
	"crypto/subtle"
	"log"
	"net/http"
)

// Guard lets only requests with the right key through.
func Guard(key string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given := r.Header.Get("X-Depot-Key")
		if subtle.ConstantTimeCompare([]byte(given), []byte(key)) != 1 {
			log.Printf("refused %s from %s", r.URL.Path, r.RemoteAddr)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}
