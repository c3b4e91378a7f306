package shop

import "testing"

func TestAddsUp(t *testing.T) {}

func TestFails(t *testing.T) { t.Error("1 is not 2 \x1b[31mred\x1b[0m") }

func TestSkipped(t *testing.T) { t.Skip("no printer") }

func TestParts(t *testing.T) {
	t.Run("ünïcödé 🦦", func(t *testing.T) {})
	t.Run("of two words", func(t *testing.T) { t.Fatal("closed") })
}
