import { defineConfig } from 'cypress';
import testledger from 'testledger/cypress';

export default defineConfig({
  video: true,
  e2e: {
    retries: 1,
    defaultCommandTimeout: 200,
    setupNodeEvents: (on, config) => (process.env.POSTING ? testledger(on, config) : config),
  },
});
