package store

import "time"

// undoAge is how long a change can be undone.
const undoAge = 24 * time.Hour

// undoBytes is the default of Options.UndoBytes. A change of all tags of 100,000 links takes
// about 2 MiB.
const undoBytes = 16 << 20

// minUndoBytes is the smallest size that a record counts as, which limits the number of
// records.
const minUndoBytes = 512
