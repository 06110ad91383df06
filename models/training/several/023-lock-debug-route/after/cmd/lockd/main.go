package main

import (
	"context"
	"log"
	"net/http"
	"os/signal"
	"syscall"
	"time"

	"example.org/canal/internal/locks"
)

const gracePeriod = 30 * time.Second

func routes(canal *locks.Canal) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /locks", canal.List)
	mux.HandleFunc("POST /locks/{id}/passages", canal.Book)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNoContent)
	})
	return mux
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()

	server := &http.Server{Addr: ":7400", Handler: routes(locks.NewCanal())}
	go func() {
		<-ctx.Done()
		late, cancel := context.WithTimeout(context.Background(), gracePeriod)
		defer cancel()
		server.Shutdown(late)
	}()
	if err := server.ListenAndServe(); err != http.ErrServerClosed {
		log.Fatal(err)
	}
}
