/** Pictures made of rectangles, written as PNG. */
import { crc32, deflateSync } from 'node:zlib';

export type Colour = readonly [red: number, green: number, blue: number];

export type Picture = {
  width: number;
  height: number;
  /** Three bytes a pixel, row by row. */
  pixels: Uint8Array;
};

export function picture(width: number, height: number, colour: Colour): Picture {
  const made = { width, height, pixels: new Uint8Array(width * height * 3) };
  fill(made, 0, 0, width, height, colour);
  return made;
}

/** What lies outside of the picture is left out. */
export function fill(to: Picture, x: number, y: number, width: number, height: number, colour: Colour): void {
  for (let row = Math.max(y, 0); row < Math.min(y + height, to.height); row += 1)
    for (let column = Math.max(x, 0); column < Math.min(x + width, to.width); column += 1)
      to.pixels.set(colour, (row * to.width + column) * 3);
}

/** The second picture, pale, with the pixels in red that the first one has otherwise. */
export function difference(expected: Picture, actual: Picture): Picture {
  const pixels = actual.pixels.map((value) => 235 + Math.round(value / 13));
  for (let at = 0; at < pixels.length; at += 3) {
    const isSame = [0, 1, 2].every((n) => expected.pixels[at + n] === actual.pixels[at + n]);
    if (!isSame) pixels.set([217, 30, 46], at);
  }
  return { ...actual, pixels };
}

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

export function encodePng({ width, height, pixels }: Picture): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits for each of red, green and blue.
  header.set([8, 2, 0, 0, 0], 8);
  const row = width * 3;
  const rows = Buffer.alloc((row + 1) * height);
  for (let y = 0; y < height; y += 1) rows.set(pixels.subarray(y * row, (y + 1) * row), y * (row + 1) + 1);
  return Buffer.concat([
    Buffer.from(SIGNATURE),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, sum]);
}
