package document

import (
	"slices"
	"strings"

	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"rollcall/internal/server/limit"
)

// rulesOf are the rules of the specification, in a fixed order. Suggestions tell names of the schema to whoever guesses, and
// take longer to find than all else together.
func rulesOf(suggestions bool) []validator.Rule {
	set := rules.NewDefaultRules()
	if !suggestions {
		for with, without := range map[string]validator.Rule{
			rules.FieldsOnCorrectTypeRule.Name: rules.FieldsOnCorrectTypeRuleWithoutSuggestions,
			rules.KnownArgumentNamesRule.Name:  rules.KnownArgumentNamesRuleWithoutSuggestions,
			rules.KnownTypeNamesRule.Name:      rules.KnownTypeNamesRuleWithoutSuggestions,
			rules.ScalarLeafsRule.Name:         rules.ScalarLeafsRuleWithoutSuggestions,
			rules.ValuesOfCorrectTypeRule.Name: rules.ValuesOfCorrectTypeRuleWithoutSuggestions,
		} {
			set.RemoveRule(with)
			set.AddRule(without.Name, without.RuleFunc)
		}
	}
	var all []validator.Rule
	for name, rule := range set.GetInner() {
		all = append(all, validator.Rule{Name: name, RuleFunc: rule})
	}
	slices.SortFunc(all, func(a, b validator.Rule) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// enough ends a validation: the validator itself goes on to the document's end, however many errors it has found.
type enough struct{}

// validate is what is wrong with a document, [limit.Errors] at most.
func validate(schema *ast.Schema, all []validator.Rule, document *ast.QueryDocument) (errs gqlerror.List) {
	defer func() {
		switch panicked := recover().(type) {
		case nil, enough:
		default:
			panic(panicked)
		}
	}()
	events := &validator.Events{}
	for _, rule := range all {
		rule.RuleFunc(events, func(options ...validator.ErrorOption) {
			err := &gqlerror.Error{Rule: rule.Name}
			for _, option := range options {
				option(err)
			}
			errcode.Set(err, errcode.ValidationFailed)
			if errs = append(errs, err); len(errs) == limit.Errors {
				panic(enough{})
			}
		})
	}
	validator.Walk(schema, document, events)
	return errs
}
