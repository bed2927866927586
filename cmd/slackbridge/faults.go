package main

import (
	"errors"
	"fmt"
	"strings"
)

// faults lists everything that keeps the bot from starting, one item each.
func faults(errs ...error) error {
	var all []string
	for _, err := range errs {
		all = append(all, flatten(err)...)
	}
	switch len(all) {
	case 0:
		return nil
	case 1:
		return errors.New(all[0])
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d things are wrong:", len(all))
	for _, item := range all {
		b.WriteString("\n  - " + strings.ReplaceAll(item, "\n", "\n    "))
	}
	return errors.New(b.String())
}

// flatten takes joined errors apart.
func flatten(err error) []string {
	if err == nil {
		return nil
	}
	joined, ok := err.(interface{ Unwrap() []error }) //nolint:errorlint // the outermost error is meant
	if !ok {
		return []string{err.Error()}
	}
	var out []string
	for _, e := range joined.Unwrap() {
		out = append(out, flatten(e)...)
	}
	return out
}
