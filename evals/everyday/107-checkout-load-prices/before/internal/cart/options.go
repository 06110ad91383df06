package cart

type query struct {
	images bool
	prices bool
}

// Option says what Load fetches besides the items.
type Option func(*query)

// WithImages loads the small picture of every item.
func WithImages() Option {
	return func(q *query) { q.images = true }
}

// WithPrices loads the price of every item.
func WithPrices() Option {
	return func(q *query) { q.prices = true }
}
