/** How long a project keeps what, in words, and what another choice would free. */
import type { components } from '../../../client/api.generated.js';
import { retentionNames } from '../../../domain/retention.js';
import { counted } from '../outcome.js';
import { bytesText } from '../../../domain/text/amounts.js';
import { Select, type Choice } from './form.js';

type Retention = components['schemas']['Retention'];
export type Effect = components['schemas']['RetentionEffect'];

const FOREVER = 'forever';

const usual: readonly Choice[] = [
  { value: 'P7D', text: '7 days' },
  { value: 'P30D', text: '30 days' },
  { value: 'P90D', text: '90 days' },
  { value: 'P1Y', text: 'a year' },
  { value: 'P3Y', text: 'three years' },
  { value: FOREVER, text: 'for ever' },
];

const labels: Record<keyof Retention, string> = {
  contents: 'Messages and stacks of failures',
  passed_contents: 'Output and metadata of tests that passed',
  artifacts: 'Files, such as screenshots and traces',
  runs: 'Runs in lists',
};

/** As the person chose. */
export function chosenRetention(form: URLSearchParams): Partial<Retention> {
  return Object.fromEntries(
    retentionNames.flatMap((name) => {
      const sent = form.get(name);
      return sent === null ? [] : [[name, sent === FOREVER ? null : sent]];
    }),
  );
}

export function RetentionFields({ retention }: { retention: Retention }) {
  return (
    <>
      <p class="soft">
        Names, statuses, times and failure groups of tests are kept for ever. Failures of the default branch
        and pinned runs keep their texts, whatever is chosen here.
      </p>
      {retentionNames.map((name) => (
        <Select
          label={labels[name]}
          name={name}
          choices={choicesFor(retention[name])}
          value={retention[name] ?? FOREVER}
        />
      ))}
    </>
  );
}

/** Another program may have set a time that nobody can choose here. */
function choicesFor(present: string | null): readonly Choice[] {
  const isUsual = present === null || usual.some(({ value }) => value === present);
  return isUsual ? usual : [{ value: present, text: present }, ...usual];
}

export function EffectText({ effect }: { effect: Effect }) {
  const { runs, results, bytes, artifacts, artifact_bytes, unlisted_runs, is_whole } = effect;
  return (
    <p class="notice done" role="status">
      This would free {is_whole ? 'about' : 'more than'} {bytesText(bytes + artifact_bytes)}: the texts of{' '}
      {counted(results, 'result')} in {counted(runs, 'run')} ({bytesText(bytes)}), and{' '}
      {counted(artifacts, 'file')} ({bytesText(artifact_bytes)}). {counted(unlisted_runs, 'run')} would leave
      the lists. Nothing is changed yet.
    </p>
  );
}
