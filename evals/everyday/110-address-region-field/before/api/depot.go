package api

// Nearest picks the depot of the address's city, if there is one.
func Nearest(depots []Depot, a Address) (Depot, bool) {
	for _, d := range depots {
		if d.City == a.City && d.Country == a.Country {
			return d, true
		}
	}
	return Depot{}, false
}
