package store

import "time"

// undoAge is how long a change can be undone.
const undoAge = 24 * time.Hour

// undoBytes is the maximum size of a user's undo records, compressed. All tags of 100,000 links take about 2 MiB.
const undoBytes = 16 << 20

// minUndoBytes is what a record counts as at least, which limits their number.
const minUndoBytes = 512
