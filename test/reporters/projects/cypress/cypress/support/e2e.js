import 'testledger/cypress/support';
