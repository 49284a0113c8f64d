package doctor

import (
	"fmt"
	"strings"
)

// repairAdvice is the advice for what Check repairs.
const repairAdvice = "run waymark doctor --repair"

// fewOf joins the first five elements of found, and says how many more there are.
func fewOf(found []string) string {
	const maxShown = 5
	if len(found) <= maxShown {
		return strings.Join(found, "; ")
	}
	return strings.Join(found[:maxShown], "; ") + fmt.Sprintf("; and %d more", len(found)-maxShown)
}
