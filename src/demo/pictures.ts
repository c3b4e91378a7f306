/** Screens of the shop, as a browser test would have seen them. Bars stand for text. */
import { randomFor } from './random.js';
import { difference, encodePng, fill, picture, type Colour, type Picture } from './png.js';

const [WIDTH, HEIGHT] = [640, 400];
const white: Colour = [255, 255, 255];
const paper: Colour = [244, 245, 247];
const ink: Colour = [51, 60, 77];
const grey: Colour = [203, 208, 217];
const blue: Colour = [38, 92, 214];
const teal: Colour = [16, 137, 125];
const disabled: Colour = [183, 194, 219];

export type Triple = { expected: Uint8Array; actual: Uint8Array; diff: Uint8Array };

/** The cart before and after a change of its button. */
export function cartTriple(): Triple {
  const expected = cart(blue, 0);
  const actual = cart(teal, 14);
  return {
    expected: encodePng(expected),
    actual: encodePng(actual),
    diff: encodePng(difference(expected, actual)),
  };
}

/** The checkout with a button that stays disabled. */
export function checkoutScreen(): Uint8Array {
  const screen = page();
  for (let n = 0; n < 4; n += 1) {
    text(screen, 40, 92 + n * 58, 60 + n * 11, grey);
    fill(screen, 40, 104 + n * 58, 340, 32, grey);
    fill(screen, 41, 105 + n * 58, 338, 30, white);
    text(screen, 52, 117 + n * 58, 120 + ((n * 53) % 90), ink);
  }
  fill(screen, 40, 340, 340, 38, disabled);
  text(screen, 180, 356, 60, white);
  fill(screen, 420, 92, 180, 160, paper);
  for (let n = 0; n < 4; n += 1) text(screen, 436, 112 + n * 32, 90 + ((n * 37) % 50), ink);
  return encodePng(screen);
}

/** A page of products, another one for each name. */
export function productsScreen(name: string): Uint8Array {
  const random = randomFor(name);
  const screen = page();
  for (let n = 0; n < 8; n += 1) {
    const [x, y] = [40 + (n % 4) * 142, 92 + Math.floor(n / 4) * 150];
    const shade: Colour = [random.between(120, 230), random.between(130, 220), random.between(140, 230)];
    fill(screen, x, y, 126, 92, shade);
    text(screen, x, y + 102, random.between(50, 120), ink);
    text(screen, x, y + 118, random.between(30, 60), grey);
  }
  return encodePng(screen);
}

function cart(button: Colour, shift: number): Picture {
  const screen = page();
  for (let n = 0; n < 3; n += 1) {
    fill(screen, 40, 92 + n * 80, 64, 64, [176 + n * 20, 196, 214 - n * 18]);
    text(screen, 120, 104 + n * 80, 150 + n * 22, ink);
    text(screen, 120, 124 + n * 80, 70, grey);
    text(screen, 330, 104 + n * 80, 44, ink);
  }
  fill(screen, 420, 92, 180, 220, paper);
  for (let n = 0; n < 3; n += 1) text(screen, 436, 112 + n * 30, 110 - n * 14, ink);
  fill(screen, 436, 250 + shift, 148, 38, button);
  text(screen, 474, 266 + shift, 72, white);
  return screen;
}

function page(): Picture {
  const screen = picture(WIDTH, HEIGHT, white);
  fill(screen, 0, 0, WIDTH, 56, ink);
  fill(screen, 40, 20, 70, 16, white);
  for (let n = 0; n < 4; n += 1) text(screen, 240 + n * 84, 25, 52, grey);
  text(screen, 40, 70, 150, ink);
  return screen;
}

function text(to: Picture, x: number, y: number, width: number, colour: Colour): void {
  fill(to, x, y, width, 7, colour);
}
