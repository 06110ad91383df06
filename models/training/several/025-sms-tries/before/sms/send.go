package sms

import (
	"fmt"
	"net/http"
	"net/url"
	"time"
)

const gateway = "http://sms.internal/send"

func post(number, text string) error {
	res, err := http.PostForm(gateway, url.Values{"to": {number}, "text": {text}})
	if err != nil {
		return err
	}
	res.Body.Close()
	if res.StatusCode >= 300 {
		return fmt.Errorf("gateway says %s", res.Status)
	}
	return nil
}

// Send sends a text, trying again if the gateway is busy.
func Send(number, text string) error {
	var err error
	wait := time.Second
	for try := 0; try < 3; try++ {
		if err = post(number, text); err == nil {
			return nil
		}
		time.Sleep(wait)
		wait *= 2
	}
	return fmt.Errorf("sms to %s: %w", number, err)
}
