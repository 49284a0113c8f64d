package waymark

import (
	"mime"
	"path"
	"strings"
	"unicode"
)

const (
	// MaxUpload is the maximum size of a file that becomes an attachment or a full snapshot, in bytes.
	MaxUpload = 100 << 20
	// MaxAttachments is the maximum number of attachments of a link.
	MaxAttachments = 100
)

// Attachment describes a file that belongs to a link.
type Attachment struct {
	ID           AttachmentID
	Link         LinkID
	Owner        UserID // of the link, who has a quota
	FullSnapshot bool   // it is the page of the link, as a browser has saved it; a link has one at most
	Name         string // of the file, without a path
	ContentType  string // a media type without parameters
	Size         int64  // of the file in bytes
	Bytes        int64  // the compressed size, which counts against the quota of the link's owner
	CreatedAt    Time
}

const (
	// BinaryType is the media type of an attachment whose type is not known.
	BinaryType = "application/octet-stream"
	// maxContentType is the maximum length of a media type in bytes.
	maxContentType = 100
)

// NewAttachment returns the attachment of a link. It corrects the name and the media type.
func NewAttachment(link LinkID, name, contentType string) Attachment {
	return Attachment{Link: link, Name: attachmentName(name), ContentType: attachmentType(contentType)}
}

// attachmentName returns a name without a path and without characters that are not shown.
func attachmentName(name string) string {
	name = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == '"' || r == unicode.ReplacementChar {
			return '_'
		}
		return r
	}, strings.ToValidUTF8(name, "_"))
	name = truncate(strings.TrimSpace(path.Base(strings.ReplaceAll(name, `\`, "/"))), MaxName)
	if strings.Trim(name, "./") == "" {
		return "file"
	}
	return name
}

// attachmentType returns a media type without parameters, and BinaryType for an invalid one.
func attachmentType(contentType string) string {
	kind, _, err := mime.ParseMediaType(contentType)
	if err != nil || !strings.Contains(kind, "/") || len(kind) > maxContentType {
		return BinaryType
	}
	return kind
}

// UploadedPage is what a link gets from its page as a browser has saved it, in addition to the file.
type UploadedPage struct {
	Texts    PageTexts
	Text     TextSnapshot
	TextHTML string // of Text; "" if the page has no readable text
}
