/** The fields of a gate, of a project or of its team. */
import type { components } from '../../../client/api.generated.js';
import type { FailOn } from '../../../domain/gate/judge-gate.js';
import { gateNames } from '../../../domain/gate/settings.js';
import { Field, Select, type Choice } from './form.js';

type Gate = components['schemas']['GateSettings'];

/** Those settings that the person changed in the form. */
export function changedGate(form: URLSearchParams): Partial<Gate> {
  const sent = gateIn(form);
  const changed = gateNames.filter((name) => form.get(`was-${name}`) !== textOf(sent[name]));
  return Object.fromEntries(changed.map((name) => [name, sent[name]]));
}

const failOn: readonly (Choice & { value: FailOn })[] = [
  { value: 'new', text: 'New failures' },
  { value: 'any', text: 'Any failure' },
  { value: 'flaky', text: 'Any failure, and flaky results' },
  { value: 'none', text: 'No failure' },
];

/** `was`: as the page shows the gate now. `own`: what the project has set itself; left out for the gate of the team. */
export function GateFields({
  gate,
  was,
  own = gateNames,
}: {
  gate: Gate;
  was: Gate;
  own?: readonly (typeof gateNames)[number][];
}) {
  const { fail_on, max_removed, min_tests, max_known } = gate;
  const labelled = (name: (typeof gateNames)[number], text: string) =>
    own.includes(name) ? text : `${text} (from the team)`;
  return (
    <>
      {gateNames.map((name) => (
        <input type="hidden" name={`was-${name}`} value={textOf(was[name])} />
      ))}
      <Select
        label={labelled('fail_on', 'A run fails for')}
        name="fail_on"
        choices={failOn}
        value={fail_on}
      />
      <Field
        label={labelled('max_removed', 'Tests that may be missing')}
        name="max_removed"
        value={textOf(max_removed)}
        hint="Of those of the baseline: a number, or a share such as 10%. “default” is 10 %, and at least 20. Empty for any number."
      />
      <Field
        label={labelled('min_tests', 'Tests that must run')}
        name="min_tests"
        value={textOf(min_tests)}
        hint="Empty for any number."
      />
      <Field
        label={labelled('max_known', 'Known failures that may be there')}
        name="max_known"
        value={textOf(max_known)}
        hint="Empty for any number."
      />
    </>
  );
}

/** As a field has it. */
function textOf(value: string | number | null): string {
  return value === null ? '' : String(value);
}

/** A number that is none goes to the API as it is, which refuses it. */
function gateIn(form: URLSearchParams): Gate {
  const value = (name: string) => {
    const text = (form.get(name) ?? '').trim();
    if (text === '') return null;
    return /^[0-9]{1,15}$/.test(text) ? Number(text) : text;
  };
  const [max_removed, min_tests, max_known] = [value('max_removed'), value('min_tests'), value('max_known')];
  return { fail_on: form.get('fail_on'), max_removed, min_tests, max_known } as Gate;
}
