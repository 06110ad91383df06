package client

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// Client talks to a depot.
type Client struct {
	Base string
	Key  string
}

// Stock asks for the stock of an article.
func (c *Client) Stock(article string) (int, error) {
	req, err := http.NewRequest(http.MethodGet, c.Base+"/stock/"+article, nil)
	if err != nil {
		return 0, err
	}
	req.Header.Set("X-Depot-Key", c.Key)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("depot: %s", res.Status)
	}
	var pieces int
	err = json.NewDecoder(res.Body).Decode(&pieces)
	return pieces, err
}
