*** Settings ***
Test Tags    shop

*** Test Cases ***
Adds Up
    [Tags]    fast
    Should Be Equal As Integers    ${1 + 1}    2

Fails
    Pay    3

Skipped
    Skip    no printer

Set Up Fails
    [Setup]    Fail    no database
    No Operation

Loops And Branches
    FOR    ${n}    IN RANGE    3
        IF    ${n} > 1    Log    ünïcödé ${n}
    END
    TRY
        Fail    oops
    EXCEPT    oops
        Log    caught
    END

*** Keywords ***
Pay
    [Arguments]    ${price}
    Should Be Equal As Integers    ${price}    4    price is wrong
