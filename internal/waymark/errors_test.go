package waymark

import (
	"errors"
	"testing"
)

func TestValidationErrorListsProblemsOfAllInputs(t *testing.T) {
	all := &ValidationError{}
	for i, in := range []TagInput{{Name: "a"}, {}, {Name: "a\x00"}} {
		_, err := NewTag(User{ID: 1, DefaultVisibility: DefaultsTo(Private)}, in)
		if err != nil {
			err = all.Merge(i, err)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	err := all.Err()
	want := "invalid input: name of input 1 is required; name of input 2 contains U+0000"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestMergeReturnsOtherErrors(t *testing.T) {
	all := &ValidationError{}
	if err := all.Merge(0, ErrForbidden); !errors.Is(err, ErrForbidden) || all.Err() != nil {
		t.Errorf("got %v and %v, want ErrForbidden and nil", err, all.Err())
	}
}
