package web

import (
	"errors"
	"net/http"

	"example.com/seedshop/internal/cart"
)

func (s *Server) handleCheckout(w http.ResponseWriter, r *http.Request) {
	id := cartID(r)
	c, err := s.carts.Load(r.Context(), id)
	if errors.Is(err, cart.ErrNotFound) {
		http.Redirect(w, r, "/cart", http.StatusSeeOther)
		return
	}
	if err != nil {
		s.fail(w, err)
		return
	}
	s.render(w, "checkout.html", c)
}

func (s *Server) handleCancel(w http.ResponseWriter, r *http.Request) {
	id := cartID(r)
	if err := s.carts.Unlock(r.Context(), id); err != nil {
		s.fail(w, err)
		return
	}
	http.Redirect(w, r, "/cart", http.StatusSeeOther)
}
