package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

type alert struct {
	Station string    `json:"station"`
	Level   float64   `json:"level"`
	Kind    string    `json:"kind"`
	At      time.Time `json:"at"`
}

type notifier struct {
	url    string
	client *http.Client
}

func newNotifier(url string) *notifier {
	return &notifier{url: url, client: &http.Client{Timeout: 5 * time.Second}}
}

func (n *notifier) send(a alert) error {
	body, err := json.Marshal(a)
	if err != nil {
		return err
	}
	resp, err := n.client.Post(n.url, "application/json", bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("send alert: %w", err)
	}
	if resp.StatusCode >= 300 {
		return fmt.Errorf("send alert: server said %s", resp.Status)
	}
	return nil
}
