package waymark

// Since is satisfied by the links that were saved or edited after a time. The query language has no
// condition for it: see Dated.
type Since struct {
	Edited bool // otherwise saved
	After  Time
}

func (Since) isCondition() {}
