/** Whose settings of the gate hold: those of the project, then those of its team. */
import { defaultGate, type GateSettings } from './judge-gate.js';

/** The settings that a project or a team has set itself. */
export type OwnGate = Partial<GateSettings>;

/** `null` sets nothing any more, so that those of the team hold again. */
export type GateChange = OwnGate | null;

/** In the order in which they are named. */
export const gateNames = [
  'fail_on',
  'max_removed',
  'min_tests',
  'max_known',
] as const satisfies (keyof GateSettings)[];

/** The settings that hold where the first ones go before the later ones. */
export function gateOf(...own: readonly (OwnGate | undefined)[]): GateSettings {
  return Object.assign({ ...defaultGate }, ...own.toReversed().map((one) => one ?? {}));
}

/** The names of the settings that are set. */
export function ownNames(own: OwnGate): (keyof GateSettings)[] {
  return gateNames.filter((name) => own[name] !== undefined);
}

/** The own settings after a change, with their names in order; null if it changes nothing. */
export function changedGate(present: OwnGate, change: GateChange | undefined): OwnGate | null {
  if (change === undefined) return null;
  const wanted: OwnGate = change === null ? {} : { ...present, ...change };
  if (gateNames.every((name) => wanted[name] === present[name])) return null;
  return Object.fromEntries(ownNames(wanted).map((name) => [name, wanted[name]]));
}
