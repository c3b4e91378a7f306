/** A writer that does one step when the test says so. The test kills it there. Argument: the URL. */
import { openMongoViewWriter } from '../../../src/adapters/mongodb/views/writer.js';
import { commitStep, rebuildStep, spec, type Step } from './views.steps.js';

export type StepMessage = { step: Step; epoch: number; n: number };

const [, , url = ''] = process.argv;
const writer = openMongoViewWriter({ url });
await writer.builds(spec.name);
process.on('message', ({ step, epoch, n }: StepMessage) => {
  void perform(step, epoch, n).then(() => process.send?.('done'));
});
process.send?.('ready');

async function perform(step: Step, epoch: number, n: number): Promise<void> {
  if (step === 'rebuild') return rebuildStep(writer, { epoch, n });
  const live = (await writer.builds(spec.name)).find((one) => one.live);
  return commitStep(writer, { build: live?.build ?? 0, epoch, n });
}
