package main

import (
	"time"

	"github.com/BurntSushi/toml"
)

// Config is read from tidewatch.toml.
type Config struct {
	Station   string
	Interval  duration
	HighMark  float64
	LowMark   float64
	NotifyURL string
}

type duration struct{ time.Duration }

func (d *duration) UnmarshalText(b []byte) (err error) {
	d.Duration, err = time.ParseDuration(string(b))
	return err
}

func loadConfig(path string) (*Config, error) {
	cfg := &Config{
		Interval: duration{10 * time.Minute},
		HighMark: 3.2,
		LowMark:  0.4,
	}
	if _, err := toml.DecodeFile(path, cfg); err != nil {
		return nil, err
	}
	return cfg, nil
}
