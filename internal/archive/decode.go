package archive

// entityDecoders decode the line of each kind of entity.
var entityDecoders = map[string]func(a *reader, kind string, text []byte) (Entity, error){
	"settings":        decodeEntity[Settings],
	"list":            decodeEntity[List],
	"tag":             decodeEntity[Tag],
	"link":            decodeEntity[Link],
	"note":            decodeEntity[Note],
	"passage":         decodeEntity[Passage],
	"text_snapshot":   decodeEntity[TextSnapshot],
	"full_snapshot":   decodeEntity[FullSnapshot],
	"attachment":      decodeEntity[Attachment],
	"attachment_data": decodeEntity[AttachmentData],
	"bundle":          decodeEntity[Bundle],
	"kept_apart":      decodeEntity[KeptApart],
	"saved_search":    decodeEntity[SavedSearch],
}

func decodeEntity[E Entity](a *reader, kind string, text []byte) (Entity, error) {
	var e E
	err := a.decode(kind, text, &e)
	return e, err
}
