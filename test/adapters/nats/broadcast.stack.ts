/** The broadcast on NATS: what it carries, and what it does while the server is away or refuses. */
import { expect } from 'chai';
import { openNatsBroadcast } from '../../../src/adapters/nats/broadcast.js';
import type { Broadcast } from '../../../src/ports/broadcast.js';
import { startNats, type NatsServer } from '../../stack/nats.js';
import { eventually } from '../../stores.js';

type Member = Broadcast & { heard: string[]; faults: string[] };

describe('the broadcast on NATS', () => {
  let server: NatsServer;
  let opened: Member[];
  beforeEach(() => (opened = []));
  afterEach(async () => {
    for (const each of opened) await each.close();
    await server.stop();
  });

  const join = (url = server.url): Member => {
    const heard: string[] = [];
    const faults: string[] = [];
    const broadcast = openNatsBroadcast(url, {
      received: (data) => void heard.push(Buffer.from(data).toString()),
      report: (fault) => void faults.push(String(fault)),
    });
    const member = { ...broadcast, heard, faults };
    opened.push(member);
    return member;
  };
  const say = (member: Member, text: string) => member.send(Buffer.from(text));

  /** Each has heard something of each other one. */
  const allConnected = (members: readonly Member[], word: string) =>
    eventually('all are connected', () => {
      members.forEach((member, n) => say(member, `${word} ${n}`));
      return members.every(({ heard }, n) =>
        members.every((_, other) => other === n || heard.includes(`${word} ${other}`)),
      );
    });

  it('tells all others, in order, and not the sender', async () => {
    server = await startNats();
    const [one, two, three] = [join(), join(), join()];
    await allConnected([one, two, three], 'hello');
    const own = one.heard.length;
    for (let n = 0; n < 100; n += 1) say(one, `point ${n}`);
    const points = Array.from({ length: 100 }, (_, n) => `point ${n}`);
    for (const other of [two, three]) {
      await eventually('all have come', () => other.heard.includes('point 99'));
      expect(other.heard.filter((each) => each.startsWith('point'))).to.deep.equal(points);
    }
    expect(one.heard.slice(own).filter((each) => each.startsWith('point'))).to.deep.equal([]);
  });

  it('keeps servers with another stream name apart', async () => {
    server = await startNats();
    const [one, two] = [join(), join()];
    const others = [join(`${server.url}?stream=other`), join(`${server.url}?stream=other`)];
    await allConnected([one, two], 'ours');
    await allConnected(others, 'theirs');
    expect([...one.heard, ...two.heard].filter((each) => each.startsWith('theirs'))).to.deep.equal([]);
  });

  it('loses what is sent while the server is away, reports the outage once, and goes on by itself', async () => {
    server = await startNats();
    const members = [join(), join()];
    await allConnected(members, 'before');
    await server.kill();
    await eventually('both have noticed', () => members.every(({ faults }) => faults.length > 0));
    say(members[0]!, 'lost');
    await server.start();
    await allConnected(members, 'after');
    expect(members[1]!.heard).not.to.include('lost');
    for (const { faults } of members) {
      expect(faults).to.have.length(1);
      expect(faults[0]).to.match(/NATS at 127\.0\.0\.1:\d+ (closed the connection|refuses: the connection)/u);
    }
  });

  it('reports a message that is larger than the server takes, and carries the next ones', async () => {
    server = await startNats();
    const members = [join(), join()];
    await allConnected(members, 'before');
    for (let n = 0; n < 3; n += 1) members[0]!.send(Buffer.alloc(2 * 1024 * 1024));
    await allConnected(members, 'after');
    expect(members[0]!.faults).to.have.length(1);
    expect(members[0]!.faults[0]).to.include('NATS');
  });

  it('reports a server that was never there, and ends at once when it is closed', async () => {
    server = await startNats();
    await server.kill();
    const alone = join();
    await eventually('it is reported', () => alone.faults.length > 0);
    expect(alone.faults[0]).to.include('cannot be reached');
    say(alone, 'to nobody');
    await alone.close();
  });

  for (const denied of ['publish', 'subscribe'] as const) {
    it(`reports a user who may not ${denied} to the subject`, async () => {
      const permissions = `permissions: { ${denied}: { deny: ["testledger.points"] } }`;
      server = await startNats({ users: `{ user: "u", password: "p", ${permissions} }` });
      const member = join(server.url.replace('nats://', 'nats://u:p@'));
      await eventually('it is reported', () => {
        say(member, 'something');
        return member.faults.length > 0;
      });
      expect(member.faults[0]).to.match(/refuses: .*testledger\.points/u);
    });
  }
});
