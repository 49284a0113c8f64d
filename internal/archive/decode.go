package archive

import "errors"

// errUnknownType means that a newer version may have written the line.
var errUnknownType = errors.New("unknown type")

// decodeEntity returns the entity of a line.
func (a *reader) decodeEntity(kind typed, text []byte) (Entity, error) {
	switch kind.Type {
	case Settings{}.entityType():
		var v struct {
			typed
			Settings
		}
		err := a.decode(kind, text, &v)
		return v.Settings, err
	case List{}.entityType():
		var v struct {
			typed
			List
		}
		err := a.decode(kind, text, &v)
		return v.List, err
	case Tag{}.entityType():
		var v struct {
			typed
			Tag
		}
		err := a.decode(kind, text, &v)
		return v.Tag, err
	case Link{}.entityType():
		var v struct {
			typed
			Link
		}
		err := a.decode(kind, text, &v)
		return v.Link, err
	case Note{}.entityType():
		var v struct {
			typed
			Note
		}
		err := a.decode(kind, text, &v)
		return v.Note, err
	case TextSnapshot{}.entityType():
		var v struct {
			typed
			TextSnapshot
		}
		err := a.decode(kind, text, &v)
		return v.TextSnapshot, err
	case FullSnapshot{}.entityType():
		var v struct {
			typed
			FullSnapshot
		}
		err := a.decode(kind, text, &v)
		return v.FullSnapshot, err
	case Attachment{}.entityType():
		var v struct {
			typed
			Attachment
		}
		err := a.decode(kind, text, &v)
		return v.Attachment, err
	case AttachmentData{}.entityType():
		var v struct {
			typed
			AttachmentData
		}
		err := a.decode(kind, text, &v)
		return v.AttachmentData, err
	case Bundle{}.entityType():
		var v struct {
			typed
			Bundle
		}
		err := a.decode(kind, text, &v)
		return v.Bundle, err
	case SavedSearch{}.entityType():
		var v struct {
			typed
			SavedSearch
		}
		err := a.decode(kind, text, &v)
		return v.SavedSearch, err
	case "":
		return nil, errors.New("the line has no type")
	default:
		return nil, errUnknownType
	}
}
