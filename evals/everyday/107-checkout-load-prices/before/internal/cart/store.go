package cart

import (
	"context"
	"errors"
)

var ErrNotFound = errors.New("cart: not found")

type Cart struct {
	ID    string
	Items []Item
}

type Item struct {
	Name  string
	Cents int
	Image string
}

type Store interface {
	Load(ctx context.Context, id string, opts ...Option) (*Cart, error)
	Unlock(ctx context.Context, id string) error
}
