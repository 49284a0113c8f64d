package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Options returns how kong reads the values of settings.
func Options() []kong.Option {
	return []kong.Option{kong.KindMapper(reflect.String, kong.MapperFunc(decodeText)), kong.KindMapper(reflect.Bool, switchMapper{})}
}

// truth returns what a text means for a setting that is on or off.
func truth(text string) (on, known bool) {
	switch strings.ToLower(text) {
	case "on", "true", "yes", "1":
		return true, true
	case "off", "false", "no", "0":
		return false, true
	}
	return false, false
}

// decodeText sets the value of a flag or an argument. Unlike kong's own function, it keeps invalid UTF-8: names of files
// can be any bytes. A setting that can be on or off can be true or false, too.
func decodeText(ctx *kong.DecodeContext, target reflect.Value) error {
	token, err := ctx.Scan.PopValue("string")
	if err != nil {
		return err
	}
	text := token.String()
	if on, known := truth(text); known && ctx.Value != nil {
		word := map[bool]string{true: "on", false: "off"}[on]
		if slices.Contains(ctx.Value.EnumSlice(), word) {
			text = word
		}
	}
	target.SetString(text)
	return nil
}

// switchMapper reads flags that need no value.
type switchMapper struct{}

// IsBool says that the flag needs no value.
func (switchMapper) IsBool() bool { return true }

// Decode implements kong.Mapper.
func (switchMapper) Decode(ctx *kong.DecodeContext, target reflect.Value) error {
	if ctx.Scan.Peek().Type != kong.FlagValueToken {
		target.SetBool(true)
		return nil
	}
	text := fmt.Sprint(ctx.Scan.Pop().Value)
	on, known := truth(text)
	if !known {
		return fmt.Errorf("bool value must be on or off but got %q", text) // the command line words it
	}
	target.SetBool(on)
	return nil
}
