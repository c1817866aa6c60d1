package resolvers

import (
	"encoding/json"
	"math"

	"github.com/vektah/gqlparser/v2/ast"

	"rollcall/internal/presence"
)

// What a field costs by itself, in fields that are answered from memory. What is not listed costs 1.
const (
	costOfCall    = 10 // asks the store or the directory
	costOfRow     = 5  // of the list
	costOfUser    = 3  // asked for by id
	costOfBeat    = 5
	costOfCluster = 200 // asks all of the store's servers
)

// Lengths of lists that only the answer knows.
const (
	eventsOfDelta = 20
	mostPoints    = 1500
)

// Weigh is what a field costs, as the server's bound of an operation's cost asks for it: by itself, each time that it is answered (own); how
// often what is selected of it is answered (times); and how often the lists below it will be (below), if they can't say so themselves.
// A list that is longer than is allowed counts as long as is allowed, since the resolver will refuse it.
func Weigh(field *ast.Field, variables map[string]any, rows int) (own, times, below int) {
	if field.ObjectDefinition == nil {
		return 1, 1, 0
	}
	switch field.ObjectDefinition.Name {
	case "Query", "Mutation", "Subscription":
		return weighRoot(field, variables)
	case "OnlineUserConnection":
		if field.Name == "edges" || field.Name == "nodes" {
			return 1, rows, 0
		}
	case "PresenceDelta":
		if field.Name == "events" {
			return 1, eventsOfDelta, 0
		}
	case "HeartbeatsPayload":
		if field.Name == "results" {
			return 1, rows, 0
		}
	case "ClusterStatus":
		if field.Name == "shards" {
			return 1, presence.MaxShards, 0
		}
	}
	return 1, 1, 0
}

func weighRoot(field *ast.Field, variables map[string]any) (own, times, below int) {
	switch field.Name {
	case "onlineUsers", "onlineUsersChanged":
		first := number(field, variables, "first", presence.MaxFirst)
		return costOfCall + costOfRow*first, 1, first
	case "users":
		ids := length(field, variables, "ids", presence.MaxIDs)
		return costOfCall + costOfUser*ids, max(ids, 1), 0
	case "presence":
		ids := length(field, variables, "userIds", presence.MaxIDs)
		return costOfCall + costOfUser*ids, max(ids, 1), 0
	case "presenceChanged":
		return costOfCall + length(field, variables, "userIds", presence.MaxIDs), 1, 0
	case "refreshUsers":
		return costOfCall + costOfUser*length(field, variables, "ids", presence.MaxIDs), 1, 0
	case "heartbeats":
		beats := length(field, variables, "input", presence.MaxBeats)
		return costOfCall + costOfBeat*beats, 1, max(beats, 1)
	case "cluster":
		return costOfCluster, 1, 0
	case "onlineHistory":
		return costOfCall, mostPoints, 0
	case "__typename":
		return 1, 1, 0
	}
	return costOfCall, 1, 0
}

// number is an argument that is a number from 1 to most, its default if it is not given.
func number(field *ast.Field, variables map[string]any, name string, most int) int {
	value := argument(field, variables, name)
	if value == nil {
		value = defaultOf(field, name)
	}
	n := 0
	switch v := value.(type) {
	case int64:
		n = int(min(v, math.MaxInt32))
	case int:
		n = v
	case json.Number:
		if i, err := v.Int64(); err == nil {
			n = int(min(i, math.MaxInt32))
		}
	}
	return min(max(n, 1), most)
}

// length is that of an argument that is a list, most at the most. A value in the place of a list is a list of one.
func length(field *ast.Field, variables map[string]any, name string, most int) int {
	given := field.Arguments.ForName(name)
	if given == nil || given.Value == nil {
		return 0
	}
	if given.Value.Kind == ast.ListValue {
		return min(len(given.Value.Children), most)
	}
	switch v := argument(field, variables, name).(type) {
	case nil:
		return 0
	case []any:
		return min(len(v), most)
	}
	return 1
}

// argument is what is given for an argument; nil if that is nothing.
func argument(field *ast.Field, variables map[string]any, name string) any {
	given := field.Arguments.ForName(name)
	if given == nil || given.Value == nil {
		return nil
	}
	value, err := given.Value.Value(variables)
	if err != nil {
		return nil // the resolver will say so
	}
	return value
}

func defaultOf(field *ast.Field, name string) any {
	if field.Definition == nil {
		return nil
	}
	defined := field.Definition.Arguments.ForName(name)
	if defined == nil || defined.DefaultValue == nil {
		return nil
	}
	value, err := defined.DefaultValue.Value(nil)
	if err != nil {
		return nil
	}
	return value
}
