import { placeOf, resultIdAt, SEPARATOR, type PackedResult } from './packed-line.js';

/** The places of some results as one text, to be kept for a list. */
export function packList(results: readonly PackedResult[]): PackedList {
  const origins: string[] = [];
  const numbers = new Map<string, number>();
  const places = results.map(({ origins: own, line }) => {
    const place = placeOf(line);
    const dot = place.indexOf('.');
    if (dot === -1) return place;
    const origin = own[parseInt(place.slice(0, dot), 36)]!;
    let number = numbers.get(origin);
    if (number === undefined) {
      number = origins.push(origin) - 1;
      numbers.set(origin, number);
    }
    return `${number.toString(36)}${place.slice(dot)}`;
  });
  return { origins, places: places.join(SEPARATOR) };
}

export type PackedList = { origins: readonly string[]; places: string };

/** The ids of the results in a list. */
export function idsInList({ origins, places }: PackedList): string[] {
  return places === '' ? [] : places.split(SEPARATOR).map((place) => resultIdAt(origins, place));
}
