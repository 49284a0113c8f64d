package waymark

// Facets are what some links have in common: conditions that select a part of them.
type Facets struct {
	Total int    // of the links; the rest is empty if they are not counted
	Lists []List // those with most of the links; LinkCount is their number
	Tags  []Tag  // likewise
	Hosts []HostCount
	Years []YearCount // in which links were saved, in order
	Older YearCount   // the links saved before this year are counted; zero if there are none
}

// HostCount is a host, without www., and the number of the links on it and its subdomains.
type HostCount struct {
	Host  string
	Links int
}

// YearCount is a year, and the number of links.
type YearCount struct{ Year, Links int }
