package shop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CartTest {
  static int tries = 0;

  @Test
  void addsUp() {}

  @Test
  void fails() {
    assertEquals(1, 2, "\u001b[31mred");
  }

  @Test
  void throwsAnError() {
    throw new IllegalStateException("closed");
  }

  @Test
  void isFlaky() {
    tries += 1;
    assertEquals(2, tries);
  }

  @Test
  @Disabled("no printer")
  void isSkipped() {}

  @ParameterizedTest
  @ValueSource(strings = {"visa", "ünïcödé 🦦"})
  void pays(String card) {}

  @Nested
  class WhenEmpty {
    @Test
    void costsNothing() {}
  }
}
