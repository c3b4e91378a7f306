/** `testledger reseal`: seals everything in the state with SECRET_KEY, so that SECRET_KEY_PREVIOUS can go. */
import { presentSecretKeysOf } from '../../adapters/files/secret-key.js';
import { describeStore, openExistingState } from '../../adapters/open.js';
import { systemClock as clock } from '../../clock.js';
import { reseal } from '../../roles/reseal.js';
import { command } from '../command.js';
import { onStores } from '../on-stores.js';
import { failWith } from '../errors.js';
import { exitCodes } from '../exit-codes.js';

export const resealCommand = command<{ lostKey: boolean }>({
  command: 'reseal',
  describe: 'Seal everything with SECRET_KEY, so that SECRET_KEY_PREVIOUS can go, while the server runs',
  flags: (parser) =>
    parser.option('lost-key', {
      type: 'boolean',
      default: false,
      describe: 'Give up what a lost SECRET_KEY has sealed',
    }) as never,
  run: ({ lostKey }, terminal) =>
    onStores(async (config) => {
      const secretKeys = await presentSecretKeysOf(config);
      const state = await openExistingState(config);
      if (state === null) {
        failWith('ledger_missing', `there is no ledger in ${describeStore(config.views)}`);
      }
      try {
        const done = await reseal({ state, secretKeys, clock }, { lostKey });
        const { sealed_anew, unreadable, complete } = done;
        terminal.result(done, [
          `sealed with SECRET_KEY anew: ${sealed_anew}`,
          ...unreadable.map((each) => `sealed with a key that is not given: ${each}`),
          complete
            ? 'done: a start needs SECRET_KEY only'
            : 'not done: set the key that is missing as SECRET_KEY_PREVIOUS, or use --lost-key where it is lost',
        ]);
        return complete ? exitCodes.ok : exitCodes.failed;
      } finally {
        await state.close();
      }
    }),
});
