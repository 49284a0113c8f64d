package web

import "waymark/internal/web/page"

// shortProblem shows what is wrong with a change on another page, as a message.
func shortProblem(r *page.Request, err error, path string) error {
	problems, err := r.ProblemsOf(err, r.Field)
	if err != nil {
		return err
	}
	return r.Changed(path, page.Toast{Text: problems[0].Text})
}

// maxQuoted is how much of a wrong input a sentence repeats, in characters.
const maxQuoted = 80
