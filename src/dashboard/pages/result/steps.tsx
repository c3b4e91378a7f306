/** The steps of a test as a tree, as importers put it into its metadata. */
import { onOneLine } from '../../../domain/text/harmless.js';
import { Outcome } from '../../parts/outcome.js';
import { duration } from '../../parts/time.js';
import { visible } from '../../text/short.js';
import type { TestResult } from './load.js';

export type Step = {
  name: string;
  status: 'passed' | 'failed' | 'skipped';
  durationMs: number | null;
  error: string | null;
  steps: readonly Step[];
};

/** Metadata are free: whoever writes the tree by hand may have any number of steps in it. */
const MOST = 300;
const LEVELS = 14;
const NAME = 300;

export function stepsOf({ metadata }: Pick<TestResult, 'metadata'>): readonly Step[] {
  let left = MOST;

  function read(found: unknown, level: number): Step[] {
    if (!Array.isArray(found) || level > LEVELS) return [];
    const steps: Step[] = [];
    for (const each of found as unknown[]) {
      if (left === 0) break;
      const { name, status, duration_ms, error, steps: inside } = objectOf(each);
      if (typeof name !== 'string') continue;
      left -= 1;
      steps.push({
        name: onOneLine(name, NAME),
        status: status === 'failed' || status === 'skipped' ? status : 'passed',
        durationMs: typeof duration_ms === 'number' && duration_ms >= 0 ? duration_ms : null,
        error: typeof error === 'string' && error.trim() !== '' ? error.slice(0, 2_000) : null,
        steps: read(inside, level + 1),
      });
    }
    return steps;
  }

  return read(metadata?.['steps'], 1);
}

/** The names on the way to the step that failed, the outermost first. Empty where none did. */
export function wayToFailure(steps: readonly Step[]): readonly string[] {
  return failedSteps(steps).map(({ name }) => name);
}

/** The last of them is where it failed. */
function failedSteps(steps: readonly Step[]): readonly Step[] {
  const failed = steps.findLast(({ status }) => status === 'failed');
  return failed === undefined ? [] : [failed, ...failedSteps(failed.steps)];
}

export function Steps({ result }: { result: TestResult }) {
  const steps = stepsOf(result);
  if (steps.length === 0) return null;
  const left = result.metadata?.['steps_left_out'];
  const failed = failedSteps(steps).at(-1);
  return (
    <section aria-labelledby="steps">
      <h2 id="steps">Steps</h2>
      <div class="panel steps">
        <List steps={steps} failed={failed} />
        {typeof left === 'number' && left > 0 && (
          <p class="soft small">
            {left} more steps are left out: the tree has room for the first, and for those that failed.
          </p>
        )}
      </div>
    </section>
  );
}

/** `failed`: the step to which links lead. */
type Tree<Of> = Of & { failed: Step | undefined };

function List({ steps, failed }: Tree<{ steps: readonly Step[] }>) {
  return (
    <ol>
      {steps.map((step) => (
        <li id={step === failed ? 'failed-step' : undefined}>
          {step.steps.length === 0 ? <One step={step} /> : <Around step={step} failed={failed} />}
        </li>
      ))}
    </ol>
  );
}

/** Open where something inside failed: that is what a reader looks for. */
function Around({ step, failed }: Tree<{ step: Step }>) {
  return (
    <details open={step.status === 'failed'}>
      <summary>
        <One step={step} />
      </summary>
      <List steps={step.steps} failed={failed} />
    </details>
  );
}

function One({ step: { name, status, durationMs, error, steps } }: { step: Step }) {
  const isCause = status === 'failed' && wayToFailure(steps).length === 0;
  return (
    <>
      <span class={isCause ? 'break failed-step' : 'break'}>
        <Outcome of={status} plain /> {visible(name)}
      </span>
      {durationMs !== null && <span class="soft small"> {duration(durationMs)}</span>}
      {isCause && error !== null && (
        <pre class="block failure small" tabIndex={0} aria-label="Error of the step">
          {error}
        </pre>
      )}
    </>
  );
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
