//go:build !unix

package database

// Other systems have other rules for owners and permissions; there nothing is changed.

func inheritOwner(string) error { return nil }

func describeOwner(string) string { return "" }

func checkWritable(string) error { return nil }
