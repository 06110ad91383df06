package main

import (
	"context"
	"flag"
	"log"
	"net/http"
	"os"
	"os/signal"

	"example.org/tidestation/internal/sampler"
	"example.org/tidestation/internal/sensor"
	"example.org/tidestation/internal/store"
	"example.org/tidestation/internal/web"
)

func main() {
	port := flag.String("port", "/dev/ttyUSB0", "serial port of the sensor")
	listen := flag.String("listen", ":8080", "address of the web server")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	probe, err := sensor.Open(*port)
	if err != nil {
		log.Fatal(err)
	}
	levels := store.New(7 * 24 * 60)
	go sampler.New(probe, levels).Run(ctx)
	log.Fatal(http.ListenAndServe(*listen, web.Handler(levels)))
}
