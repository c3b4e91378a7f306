/** The relay on NATS JetStream: what it carries, and what it does while the server is away, wiped, hangs or refuses. */
import { expect } from 'chai';
import { connect } from 'nats';
import { checkNats, openNatsRelay } from '../../../src/adapters/nats/relay.js';
import { asMessage, type Message } from '../../../src/domain/messages/message.js';
import type { Relay } from '../../../src/ports/relay.js';
import { idsOnNats, startNats, type NatsServer } from '../../stack/nats.js';
import { eventually } from '../../stores.js';
import { messageAt } from '../../webhooks/memory-stores.js';

/** `heard`: the partitions, without the probes. */
type Member = Relay & { heard: string[]; faults: string[]; probed(): boolean };

/** Of another partition than all other messages here. */
const probe: Message = { ...asMessage(messageAt(1_000)), team_id: 'team_z' };

/** The n-th message, of a team in one of ten partitions. */
function message(n: number): Message {
  return { ...asMessage(messageAt(n)), team_id: `team_${n % 10}` };
}

const messages = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, n) => message(from + n));
const ids = (from: number, to: number) => messages(from, to).map(({ event_id }) => event_id);
const partitions = (from: number, to: number) => messages(from, to).map(({ team_id }) => team_id.at(-1));

describe('the relay on NATS JetStream', () => {
  let server: NatsServer;
  let opened: Member[];
  beforeEach(async () => {
    server = await startNats();
    opened = [];
  });
  afterEach(async () => {
    for (const each of opened) await each.close();
    await server.stop();
  });

  const join = (url = server.url): Member => {
    const heard: string[] = [];
    const faults: string[] = [];
    let probed = false;
    const relay = openNatsRelay(url, {
      received: (partition) => {
        if (partition === 'z') probed = true;
        else heard.push(partition);
      },
      report: (fault) => void faults.push(String(fault)),
    });
    const member = { ...relay, heard, faults, probed: () => probed };
    opened.push(member);
    return member;
  };
  const onNats = () => idsOnNats(server.url);
  const carried = (...expected: string[]) =>
    eventually('NATS has it', async () => (await onNats()).length >= expected.length).then(async () =>
      expect(await onNats()).to.deep.equal(expected),
    );
  /** Sends from one to the other until it arrives: the other listens then. */
  const connected = (one: Member, other: Member) =>
    eventually('it is heard', () => {
      one.send([probe]);
      return other.probed();
    });
  const operates = async <T>(work: (nats: Nats) => Promise<T>): Promise<T> => {
    const nats = await connect({ servers: server.url });
    try {
      return await work(nats);
    } finally {
      await nats.close();
    }
  };

  it('puts each message into the stream once by its event id, in order, also what is sent before the connection', async () => {
    const relay = join();
    relay.send(messages(1, 3));
    relay.send(messages(2, 80));
    await carried(...ids(1, 80));
    const stored = await operates(async (nats) => {
      const jsm = await nats.jetstreamManager();
      return (await jsm.streams.getMessage('testledger', { seq: 2 })).json();
    });
    expect(stored).to.deep.equal(message(2));
  });

  it('makes the stream that was asked for, and leaves one that is there as it is', async () => {
    const configOf = (stream: string) =>
      operates(async (nats) => (await (await nats.jetstreamManager()).streams.info(stream)).config);
    await checkNats(`${server.url}?stream=ours`);
    expect(await configOf('ours')).to.deep.include({
      subjects: ['ours.messages'],
      storage: 'file',
      retention: 'limits',
      discard: 'old',
      max_age: 7 * 86_400e9,
      max_bytes: 1024 ** 3,
      duplicate_window: 120e9,
      num_replicas: 1,
    });
    await operates(async (nats) => {
      const jsm = await nats.jetstreamManager();
      await jsm.streams.add({ name: 'theirs', subjects: ['theirs.messages'], max_msgs: 5 });
    });
    await checkNats(`${server.url}?stream=theirs`);
    expect(await configOf('theirs')).to.include({ max_msgs: 5 });
  });

  it('tells all others the partitions, in order and at once, and not the sender', async () => {
    const [one, two, three] = [join(), join(), join()];
    await connected(one, two);
    await connected(one, three);
    const took: number[] = [];
    for (let n = 2; n <= 40; n += 1) {
      const began = performance.now();
      one.send([message(n)]);
      await eventually('both have heard', () => [two, three].every(({ heard }) => heard.length === n - 1));
      took.push(performance.now() - began);
    }
    for (const other of [two, three]) expect(other.heard).to.deep.equal(partitions(2, 40));
    expect(one.heard).to.deep.equal([]);
    // A message that waited for others would take longer each time; on a busy machine most do.
    expect(Math.min(...took)).to.be.lessThan(100);
  });

  it('passes over what other programs send', async () => {
    const [one, two] = [join(), join()];
    await connected(one, two);
    await operates(async (nats) => {
      for (const data of ['garbage', 'null', '{"team_id":7}']) nats.publish('testledger.messages', data);
      await nats.flush();
    });
    one.send([message(2)]);
    await eventually('it is heard', () => two.heard.length > 0);
    expect(two.heard).to.deep.equal(partitions(2, 2));
    expect(two.faults).to.deep.equal([]);
  });

  for (const [what, again] of [
    ['killed', (at: NatsServer) => at.start()],
    ['killed and wiped', (at: NatsServer) => at.startEmpty()],
  ] as const) {
    it(`loses what is sent while the server is ${what}, reports it once, and goes on by itself`, async () => {
      const [one, two] = [join(), join()];
      await connected(one, two);
      await server.kill();
      await eventually('both have noticed', () => [one, two].every(({ faults }) => faults.length > 0));
      one.send([message(2)]);
      await again(server);
      await eventually('it goes on', () => {
        one.send([message(3)]);
        return two.heard.length > 0;
      });
      await eventually('NATS has it', async () => (await onNats()).includes(message(3).event_id));
      expect(await onNats()).not.to.include(message(2).event_id);
      for (const { faults } of [one, two]) {
        expect(faults).to.have.length(1);
        expect(faults[0]).to.match(/NATS at 127\.0\.0\.1:\d+ /u);
      }
    });
  }

  it('makes the stream again after somebody has deleted it, and wakes the others meanwhile', async () => {
    const [one, two] = [join(), join()];
    await connected(one, two);
    await operates(async (nats) => (await nats.jetstreamManager()).streams.delete('testledger'));
    one.send([message(2)]);
    await eventually('it is heard', () => two.heard.length > 0);
    await eventually('the stream is there again', async () => {
      one.send([message(3)]);
      return (await onNats()).includes(message(3).event_id);
    });
  });

  it('goes on after the server has hung, and can be closed meanwhile', async () => {
    const [one, two, closed] = [join(), join(), join()];
    await connected(one, two);
    await connected(one, closed);
    server.freeze();
    try {
      for (const each of [one, closed]) each.send([message(2)]);
      await eventually('it is noticed', () => one.faults.length > 0);
      await closed.close();
    } finally {
      server.thaw();
    }
    await eventually('it goes on', () => {
      one.send([message(3)]);
      return two.heard.length > 0;
    });
  });

  it('finds the one of several servers that is running', async () => {
    join(server.url.replace('nats://', 'nats://127.0.0.1:9,')).send([message(1)]);
    await carried(...ids(1, 1));
  });
});

describe('the relay on a nats-server that refuses', () => {
  const refusalOf = async (server: NatsServer, url = server.url): Promise<string> => {
    const faults: unknown[] = [];
    const relay = openNatsRelay(url, {
      received: () => undefined,
      report: (fault) => void faults.push(fault),
    });
    relay.send([message(1)]);
    await eventually('it is reported', () => faults.length > 0);
    await relay.close();
    const checked = await checkNats(url).then(() => 'fine', String);
    expect(checked).to.equal(String(faults[0]));
    return checked;
  };

  it('takes the credentials of the URL, and shows no password when they are refused', async () => {
    const server = await startNats({ users: '{ user: "one", password: "se/cr@et" }' });
    const withCredentials = (them: string) => server.url.replace('nats://', `nats://${them}@`);
    try {
      await checkNats(withCredentials('one:se%2Fcr%40et'));
      const said = await refusalOf(server, withCredentials('one:hush-hush'));
      expect(said).to.include('refuses the credentials').and.not.to.include('hush');
    } finally {
      await server.stop();
    }
  });

  it('says that there is no JetStream', async () => {
    const server = await startNats({ jetstream: false });
    try {
      expect(await refusalOf(server)).to.include('has no JetStream');
    } finally {
      await server.stop();
    }
  });

  it('says that there is no server, and ends at once when it is closed', async () => {
    const server = await startNats();
    await server.kill();
    try {
      expect(await refusalOf(server)).to.include('cannot be reached');
    } finally {
      await server.stop();
    }
  });
});

type Nats = Awaited<ReturnType<typeof connect>>;
