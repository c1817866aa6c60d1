package operation

import (
	"encoding/json"

	"github.com/vektah/gqlparser/v2/ast"
)

// variables are the values of an operation's variables as gqlparser's [validator.VariableValues] has them, if all that
// were sent are plainly of the right types: in doubt, they are not. What was sent is left as it is.
func variables(schema *ast.Schema, defined ast.VariableDefinitionList, sent map[string]any) (values map[string]any, plain bool) {
	values = make(map[string]any, len(defined))
	for _, d := range defined {
		value, given := sent[d.Variable]
		if !given && d.DefaultValue != nil {
			return nil, false
		}
		if !given && !d.Type.NonNull {
			continue
		}
		if !fits(schema, d.Type, value) {
			return nil, false
		}
		if number, ok := value.(json.Number); ok && d.Type.NamedType == "Int" {
			value, _ = number.Int64() // it fits
		}
		values[d.Variable] = value
	}
	return values, true
}

// fits says whether a value, as JSON is decoded, is plainly of a type.
func fits(schema *ast.Schema, t *ast.Type, value any) bool {
	if value == nil {
		return !t.NonNull
	}
	if t.Elem != nil {
		list, ok := value.([]any)
		for _, element := range list {
			if !fits(schema, t.Elem, element) {
				return false
			}
		}
		return ok
	}
	switch t.NamedType {
	case "ID", "String":
		_, ok := value.(string)
		return ok
	case "Boolean":
		_, ok := value.(bool)
		return ok
	case "Int":
		number, ok := value.(json.Number)
		if !ok {
			return false
		}
		_, err := number.Int64()
		return err == nil
	}
	switch d := schema.Types[t.NamedType]; d.Kind {
	case ast.Enum:
		name, ok := value.(string)
		return ok && d.EnumValues.ForName(name) != nil
	case ast.InputObject:
		fields, ok := value.(map[string]any)
		return ok && fitsObject(schema, d, fields)
	}
	return false
}

// fitsObject says whether an input object has what it must have, and nothing that it must not.
func fitsObject(schema *ast.Schema, d *ast.Definition, fields map[string]any) bool {
	known := 0
	for _, field := range d.Fields {
		value, given := fields[field.Name]
		if !given {
			if field.Type.NonNull {
				return false
			}
			continue
		}
		known++
		if !fits(schema, field.Type, value) {
			return false
		}
	}
	return known == len(fields)
}
