/** How a cause stands, in words. */
import type { components } from '../../../client/api.generated.js';
import { Linked } from '../../parts/texts/linked.js';
import { counted } from '../../parts/outcome.js';
import { Ago, utc } from '../../parts/time.js';
import { inEnvironment } from '../test/in-environment.js';

export type Cause = components['schemas']['ProjectFailureGroupWithOutcomes'];
type State = components['schemas']['ProjectFailureGroup']['state'];

export const stateWords: Readonly<Record<State, string>> = {
  open: 'open',
  known: 'known',
  fixed: 'fixed',
  came_back: 'came back',
};

const looks: Readonly<Record<State, string>> = {
  open: 'failed',
  known: 'known',
  fixed: 'passed',
  came_back: 'failed',
};

export function StateBadge({ state }: { state: State }) {
  return <span class={`badge ${looks[state]}`}>{stateWords[state]}</span>;
}

export function CauseState({ cause }: { cause: Cause }) {
  return (
    <p class="cause-state">
      <StateBadge state={cause.state} /> <Sentence cause={cause} />
    </p>
  );
}

function Sentence({ cause }: { cause: Cause }) {
  const { state, state_since, state_by, fixed_after, known_failure } = cause;
  switch (state) {
    case 'open':
      return (
        <span>
          since <Ago at={state_since} />
          {state_by !== null && <>, as {state_by} said</>}.<FixedBy at={fixed_after} />
        </span>
      );
    case 'came_back':
      return (
        <span>
          <Ago at={state_since} />, after it was fixed.
          <FixedBy at={fixed_after} />
        </span>
      );
    case 'fixed':
      return (
        <span>
          {state_by === null
            ? 'by itself, as it has stayed away for longer than ever before: '
            : `as ${state_by} said, `}
          <Ago at={state_since} />.
        </span>
      );
    case 'known':
      return known_failure === null ? null : <Known known={known_failure} tests={cause.tests} />;
  }
}

function FixedBy({ at }: { at: string | null }) {
  return at === null ? null : <> It is fixed by itself if runs do not see it until {utc(at)}.</>;
}

function Known({ known, tests }: { known: NonNullable<Cause['known_failure']>; tests: number }) {
  const { reason, by, at, expires_at, branch, environment_key } = known;
  return (
    <span class="break">
      until {utc(expires_at)}: <Linked text={reason} /> <span class="soft">({by},</span> <Ago at={at} />
      <span class="soft">
        {branch !== null && `, on ${branch} only`}
        {environment_key !== null && `, ${inEnvironment({ environment_key })} only`}){' '}
        {known.tests < tests && `${known.tests} of its ${counted(tests, 'test')} are known through it.`}
      </span>
    </span>
  );
}
