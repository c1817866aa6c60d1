package sqlsource

import (
	"context"
	"encoding/json"
	"fmt"

	"rollcall/internal/users/demo"
)

// seedBatch is the users inserted by one statement: few enough that progress
// moves, many enough that the statement's cost does not count.
const seedBatch = 1000

// seedRow is a user as the dialects' seed statements read it.
type seedRow struct {
	ID        string  `json:"id"`
	Name      *string `json:"name"`
	AvatarURL *string `json:"avatarUrl"`
	Level     *int    `json:"level"`
}

// Seed makes sure that the first n demo users exist and returns how many it
// added. Rows that are there already stay as they are, whatever they hold, so
// it is safe to run again, also after a run that was cut short. progress, if
// not nil, is told after each batch how many of the n are done.
func (s *Source) Seed(ctx context.Context, n int, progress func(done int)) (added int, err error) {
	if s.foreign {
		return 0, ErrForeign
	}
	for done := 0; done < n; {
		batch := make([]seedRow, 0, seedBatch)
		for ; done < n && len(batch) < seedBatch; done++ {
			u := demo.User(done)
			batch = append(batch, seedRow{ID: u.ID, Name: u.Name, AvatarURL: u.AvatarURL, Level: u.Level})
		}
		inserted, err := s.insert(ctx, batch)
		if err != nil {
			return added, fmt.Errorf("seed users: %w", err)
		}
		added += inserted
		if progress != nil {
			progress(done)
		}
	}
	return added, nil
}

func (s *Source) insert(ctx context.Context, batch []seedRow) (inserted int, err error) {
	doc, err := json.Marshal(batch)
	if err != nil {
		return 0, err
	}
	result, err := s.db.ExecContext(ctx, s.dialect.seed, string(doc))
	if err != nil {
		return 0, err
	}
	n, err := result.RowsAffected()
	return int(n), err
}
