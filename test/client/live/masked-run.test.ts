import { expect } from 'chai';
import { Buffer } from 'node:buffer';
import { startLiveRun } from '../../../src/client/live/live-run.js';

const token = `ghp_${'a1B2'.repeat(9)}`;
const password = 'hunter2-hunter2';

/** All that a live run of one failed test sends, and the lines that it prints. */
async function sentBy(mask?: boolean): Promise<{ sent: string; printed: string }> {
  const sent: string[] = [];
  const printed: string[] = [];
  const call = async (run: unknown, items = '') => {
    sent.push(JSON.stringify(run), items);
    return { id: 'run_1', status: 'completed', resultId: (n: number) => `r${n}` };
  };
  const live = startLiveRun(
    { tool: 'mocha', label: `of ${token}`, metadata: { note: password }, mask },
    {
      env: {
        TESTLEDGER_URL: 'http://127.0.0.1:1',
        TESTLEDGER_API_KEY: 'tl_key',
        TESTLEDGER_PROJECT: 'shop',
        DEPLOY_PASSWORD: password,
      },
      print: (line) => void printed.push(line),
      connect: async () => ({
        submitRun: (run) => call(run),
        submitRunWith: (run, { items }) => call(run, Buffer.from(items).toString()),
        uploadGroup: async ({ items, files }) => {
          for (const item of items ?? []) {
            const { label, content } = JSON.parse(item) as { label: string; content: string };
            sent.push(label, Buffer.from(content, 'base64').toString());
          }
          return files.map(() => ({ artifact: {} as never, error: null }));
        },
      }),
    },
  );
  live.add({
    name: `${'a long name '.repeat(20)} with ${token}`,
    status: 'failed',
    error_message: `401 for \u001b[31m${token.slice(0, 9)}\u001b[0m${token.slice(9)}`,
    metadata: { error: { stack: `at ${password}` }, [token]: [{ deep: token }] },
    attachments: [
      { name: `${token}.log`, content_type: 'text/plain', body: Buffer.from(`log ${token} ${password}`) },
    ],
  });
  await live.finish();
  return { sent: sent.join('\n'), printed: printed.join('\n') };
}

describe('a live run', () => {
  it('sends no secret, in no place, and says how many it masked', async () => {
    const { sent, printed } = await sentBy();
    expect(sent).to.include('log *** ***').and.to.include('401 for ***');
    expect(sent).to.not.include(token.slice(0, 12)).and.to.not.include('hunter2');
    expect(printed).to.match(/1 results are posted, \d+ secrets masked: http/);
  });

  it('sends texts as they are without its mask', async () => {
    const { sent, printed } = await sentBy(false);
    expect(sent).to.include(`log ${token} ${password}`);
    expect(printed).to.not.include('masked');
  });
});
