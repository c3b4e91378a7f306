@cart
Feature: Cart

  Background:
    Given a cart with 2 things

  @picture
  Scenario: adds
    When 3 more are put in
    Then it has 5 things

  Scenario: counts wrong
    Then it has 3 things

  Scenario Outline: rows
    When <more> more are put in
    Then it has <all> things

    Examples:
      | more | all |
      | 1    | 3   |
      | 2    | 5   |

  Rule: payment

    Scenario: is flaky
      When it is flaky

    Scenario: is pending
      When it is pending

    Scenario: is skipped
      When it is skipped

    Scenario: is undefined
      When nobody wrote this

    @locked
    Scenario: is locked
      Then it has 2 things
