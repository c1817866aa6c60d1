package resolvers

import (
	"context"

	"rollcall/internal/auth"
)

// callersOwn are the fields below a list, an event or a count whose answer depends on who
// asks. A field that isn't here can't find out in an answer that is made for
// everybody: there is no caller then.
var callersOwn = map[string][]string{"Presence": {"deviceId"}}

// scope is whom the answer to the current field is for: "" if what is selected is the
// same for every caller.
func scope(ctx context.Context, caller auth.Caller) string {
	for object, fields := range callersOwn {
		if !selects(ctx, object, fields...) {
			continue
		}
		if caller.Role == auth.Admin { // who sees all, as any other does
			return string(auth.Admin)
		}
		return "user " + caller.ID
	}
	return ""
}
