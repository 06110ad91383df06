package api

import "strings"

// Lines returns the address as printed on the label.
func (a Address) Lines() []string {
	return []string{a.Name, a.Street, strings.ToUpper(a.City), a.Country}
}
