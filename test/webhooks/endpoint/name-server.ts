/** A name server on loopback that knows IPv4 addresses, and leaves questions without an answer on purpose. */
import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';

export type NameServer = {
  /** As a resolver takes it: address and port. */
  address: string;
  /** The names of all questions for IPv4 addresses, in order. */
  asked: string[];
  close(): Promise<void>;
};

/** The answer for a name: its IPv4 address, `none`, `failure` for a server that cannot say, `silence` for no answer. */
export type Known = (name: string) => string;

const TYPE_A = 1;
const CODES = { found: 0x8180, failure: 0x8182, notFound: 0x8183 };

export async function openNameServer(known: Known): Promise<NameServer> {
  const socket = createSocket('udp4');
  const asked: string[] = [];
  socket.on('message', (question: Buffer, { port, address }: RemoteInfo) => {
    const { name, end } = nameIn(question);
    const isA = question.readUInt16BE(end) === TYPE_A;
    if (isA) asked.push(name);
    const answer = known(name);
    if (answer !== 'silence')
      socket.send(answerTo(question.subarray(0, end + 4), answer, isA), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    close: async () => {
      socket.close();
      await once(socket, 'close');
    },
  };
}

function nameIn(question: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = question[at]!; length > 0; length = question[at]!) {
    labels.push(question.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.'), end: at + 1 };
}

function answerTo(question: Buffer, answer: string, isA: boolean): Buffer {
  const head = Buffer.from(question);
  const hasAddress = answer !== 'none' && answer !== 'failure';
  head.writeUInt16BE(answer === 'failure' ? CODES.failure : hasAddress ? CODES.found : CODES.notFound, 2);
  for (const count of [6, 8, 10]) head.writeUInt16BE(0, count);
  if (!hasAddress || !isA) return head;
  head.writeUInt16BE(1, 6);
  const record = Buffer.from([0xc0, 12, 0, TYPE_A, 0, 1, 0, 0, 0, 0, 0, 4, ...answer.split('.').map(Number)]);
  return Buffer.concat([head, record]);
}
