package waymark

// Permit returns nil if the entities of owner may be changed, and an error otherwise. The
// service passes it to the methods that load and change entities in one transaction. A
// method on one entity returns the error; a method on several skips the entity.
type Permit func(owner UserID) error

// OwnerOnly permits a write to user if the entity is their own. It is the only place that decides who
// may edit, delete and restore an entity.
func OwnerOnly(user User) Permit {
	return func(owner UserID) error {
		if !user.ID.MayEdit(owner) {
			return ErrForbidden
		}
		return nil
	}
}

// UserPermit returns nil if a user may be changed or removed, and an error otherwise. others
// is the number of other enabled administrators.
type UserPermit func(user User, others int) error
