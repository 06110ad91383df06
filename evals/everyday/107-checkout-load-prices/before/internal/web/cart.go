package web

import (
	"net/http"

	"example.com/seedshop/internal/cart"
)

func (s *Server) handleCart(w http.ResponseWriter, r *http.Request) {
	c, err := s.carts.Load(r.Context(), cartID(r), cart.WithImages())
	if err != nil {
		s.fail(w, err)
		return
	}
	s.render(w, "cart.html", c)
}

func (s *Server) handleBadge(w http.ResponseWriter, r *http.Request) {
	c, err := s.carts.Load(r.Context(), cartID(r))
	if err != nil {
		s.fail(w, err)
		return
	}
	s.render(w, "badge.html", len(c.Items))
}
