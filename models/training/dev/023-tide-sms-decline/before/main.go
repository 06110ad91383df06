package main

import (
	"context"
	"flag"
	"log"
	"os"
	"os/signal"
)

func main() {
	path := flag.String("config", "tidewatch.toml", "path of the configuration")
	flag.Parse()

	cfg, err := loadConfig(*path)
	if err != nil {
		log.Fatalf("config: %v", err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	log.Printf("watching %s every %s", cfg.Station, cfg.Interval)
	newPoller(cfg).run(ctx)
}
