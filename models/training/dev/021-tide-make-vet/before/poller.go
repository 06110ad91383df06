package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"time"
)

const (
	gaugeURL   = "https://gauges.example.org/v2/stations/%s/current"
	maxRetries = 3
	historyLen = 48
)

var errNoReading = errors.New("station has no current reading")

type reading struct {
	Level float64   `json:"level_m"`
	At    time.Time `json:"measured_at"`
}

type poller struct {
	cfg     *Config
	notify  *notifier
	client  *http.Client
	history []reading
	above   bool
}

func newPoller(cfg *Config) *poller {
	return &poller{
		cfg:    cfg,
		notify: newNotifier(cfg.NotifyURL),
		client: &http.Client{Timeout: 20 * time.Second},
	}
}

func (p *poller) fetch(ctx context.Context) (reading, error) {
	var r reading
	url := fmt.Sprintf(gaugeURL, p.cfg.Station)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return r, err
	}
	resp, err := p.client.Do(req)
	if err != nil {
		return r, err
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusNoContent {
		return r, errNoReading
	}
	err = json.NewDecoder(resp.Body).Decode(&r)
	return r, err
}

func (p *poller) fetchWithRetry(ctx context.Context) (r reading, err error) {
	for i := 0; i < maxRetries; i++ {
		if r, err = p.fetch(ctx); err == nil {
			return r, nil
		}
		log.Printf("attempt %d: %v", i, err)
		time.Sleep(time.Second << i)
	}
	return r, err
}

func (p *poller) remember(r reading) {
	p.history = append(p.history, r)
	if len(p.history) > historyLen {
		p.history = p.history[1:]
	}
}

func (p *poller) check(r reading) {
	if r.Level > p.cfg.HighMark && !p.above {
		p.above = true
		p.alarm(r, "high")
	}
	if r.Level < p.cfg.HighMark {
		p.above = false
	}
}

func (p *poller) alarm(r reading, kind string) {
	a := alert{Station: p.cfg.Station, Level: r.Level, Kind: kind, At: r.At}
	if err := p.notify.send(a); err != nil {
		log.Print(err)
	}
}

func (p *poller) run(ctx context.Context) {
	tick := time.NewTicker(p.cfg.Interval.Duration)
	defer tick.Stop()
	for {
		r, err := p.fetchWithRetry(ctx)
		if err != nil {
			log.Printf("giving up for now: %v", err)
		} else {
			p.remember(r)
			p.check(r)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
