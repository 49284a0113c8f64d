package migrate

import (
	"waymark/internal/archive"
	"waymark/internal/waymark"
)

// aceEntity has the fields that all entities of LinkAce have.
type aceEntity struct {
	ID         number    `json:"id"`
	UserID     number    `json:"user_id"`
	Visibility number    `json:"visibility"` // of version 2
	IsPrivate  *flag     `json:"is_private"` // of version 1
	CreatedAt  timestamp `json:"created_at"`
	UpdatedAt  timestamp `json:"updated_at"`
}

func (e aceEntity) id() int64    { return int64(e.ID) }
func (e aceEntity) owner() int64 { return int64(e.UserID) }

// private reports whether only the owner can see the entity.
func (e aceEntity) private() bool { return e.visibility() == archive.Visibility(waymark.Private) }

// visibility returns the visibility. Version 1 only distinguishes private entities from all others,
// which guests can see only if the operator permits it. So the others become internal, as they do
// when LinkAce is upgraded.
func (e aceEntity) visibility() archive.Visibility {
	switch {
	case waymark.Visibility(e.Visibility).Valid():
		return archive.Visibility(e.Visibility)
	case e.IsPrivate == nil:
		return 0
	case bool(*e.IsPrivate):
		return archive.Visibility(waymark.Private)
	}
	return archive.Visibility(waymark.Internal)
}

func (e aceEntity) times() archive.Times {
	return archive.Times{CreatedAt: archive.Time(e.CreatedAt), UpdatedAt: archive.Time(e.UpdatedAt)}
}

// aceList is a list or a tag.
type aceList struct {
	aceEntity
	Name        string `json:"name"`
	Description string `json:"description"`
}

type aceLink struct {
	aceEntity
	URL           string `json:"url"`
	Title         string `json:"title"`
	Description   string `json:"description"`
	Thumbnail     string `json:"thumbnail"`
	Status        number `json:"status"`
	CheckDisabled flag   `json:"check_disabled"`
}

type aceNote struct {
	aceEntity
	Note string `json:"note"`
}

// acePage is a page of a listing.
type acePage[T any] struct {
	Data     []T    `json:"data"`
	LastPage number `json:"last_page"`
}
