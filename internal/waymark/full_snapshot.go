package waymark

// FullSnapshot describes the page of a link as one HTML file, with its style sheets, images and fonts.
type FullSnapshot struct {
	FetchedAt Time   // when it was fetched, or uploaded
	URL       string // where the page was found, after redirects
	Size      int64  // of the file in bytes
	Bytes     int64  // the compressed size, which counts against the quota of the link's owner

	// Attachment is the file, if a browser has saved the page; otherwise it has no ID.
	Attachment Attachment
}
