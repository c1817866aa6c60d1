package redisstore

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDevicesSurvivePacking(t *testing.T) {
	for _, id := range []string{
		"phone", "=", "u", "3b241101-e2bb-4255-8caf-4136c566a962", "3B241101-E2BB-4255-8CAF-4136C566A962",
		"3b241101-e2bb-4255-8caf-4136c566a96", "3b241101-e2bb-4255-8caf-4136c566a96g", "日本", "3b241101e2bb-42558caf-4136c566a962--",
	} {
		got, err := unpackDevice(packDevice(id))
		require.NoError(t, err)
		require.Equal(t, id, got)
	}
	require.Len(t, packDevice("3b241101-e2bb-4255-8caf-4136c566a962"), 17)
	for _, packed := range []string{"x", "u123", "phone"} {
		_, err := unpackDevice(packed)
		require.Error(t, err)
	}
}
