// Package fetch downloads feeds politely.
package fetch

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

const (
	accept   = "application/atom+xml, application/rss+xml;q=0.9"
	agent    = "go-http-client"
	maxBytes = 4 << 20
)

// ErrUnchanged means that the feed is the same as last time.
var ErrUnchanged = errors.New("fetch: unchanged")

// Result is a downloaded feed.
type Result struct {
	Body []byte
	ETag string
	At   time.Time
}

// Fetcher keeps one HTTP client for all feeds.
type Fetcher struct {
	Client *http.Client
}

// Get downloads the feed unless it still has the given ETag.
func (f *Fetcher) Get(ctx context.Context, url, etag string) (*Result, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", accept)
	req.Header.Set("User-Agent", agent)
	if etag != "" {
		req.Header.Set("If-None-Match", etag)
	}
	res, err := f.Client.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	switch res.StatusCode {
	case http.StatusNotModified:
		return nil, ErrUnchanged
	case http.StatusOK:
	default:
		return nil, errors.New("fetch: " + res.Status)
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxBytes))
	if err != nil {
		return nil, err
	}
	return &Result{Body: body, ETag: res.Header.Get("ETag"), At: time.Now()}, nil
}
