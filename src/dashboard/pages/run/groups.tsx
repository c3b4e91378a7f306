/** Failures that have one cause, by impact; and single failures. */
import { firstLines, onOneLine } from '../../../domain/text/harmless.js';
import { counted, number } from '../../parts/outcome.js';
import { likeInWords, Strip } from '../../parts/lists/strip.js';
import { Ago } from '../../parts/time.js';
import { To } from '../../parts/to.js';
import type { Links } from './links.js';
import { placeOf, shortCommit, visible } from '../../text/short.js';
import type { Group, Result, Run } from './read-run.js';
import { messageOf } from './result-rows.js';

const MESSAGE = { lines: 4, length: 500 };

/** A group of one test is a single failure. */
export function isShared({ tests }: Pick<Group, 'tests'>): boolean {
  return tests > 1;
}

/** `2 tests`; with their failing results where a test has more than one, as by its attempts. */
export function testsOf({ tests, results }: Pick<Group, 'tests' | 'results'>): string {
  return `${counted(tests, 'test')}${results === tests ? '' : ` (${counted(results, 'result')})`}`;
}

type Of = { run: Pick<Run, 'id' | 'project_id' | 'branch' | 'tool' | 'environment_key'>; links: Links };

export function GroupList({ groups, ...of }: { groups: readonly Group[] } & Of) {
  return (
    <ol class="groups">
      {groups.map((group) => (
        <GroupItem group={group} {...of} />
      ))}
    </ol>
  );
}

function GroupItem({ group, run, links }: { group: Group } & Of) {
  const { example, results, tests } = group;
  const message = example === null ? '' : (example.error?.message ?? example.error_message ?? '');
  const names = group.first_results ?? [];
  const all = links.failuresOf(run.id, group.group);
  return (
    <li class="panel group" data-row="failed">
      <div class="group-head">
        <h3>
          {group.new && <span class="badge new">new</span>}
          <To class="break" href={links.group(run.project_id, group.group)}>
            {visible(onOneLine(group.title, 200))}
          </To>
        </h3>
        <GroupStrip group={group} run={run} />
      </div>
      <p class="facts">
        <strong>{testsOf(group)}</strong>
        <FirstSeen group={group} run={run} links={links} />
        <span>{captionOf(group, run)}</span>
        {example?.owner != null && <span>{example.owner}</span>}
        {example !== null && placeOf(example) !== null && <code class="break">{placeOf(example)}</code>}
      </p>
      {example !== null && (
        <p class="facts">
          <span>
            for example{' '}
            <a class="break" href={links.result(example.id)}>
              {visible(onOneLine(example.name, 200))}
            </a>
          </span>
        </p>
      )}
      {message.trim() !== '' && <pre class="block short">{firstLines(message.slice(0, 4_000), MESSAGE)}</pre>}
      <details id={`tests-${group.group}`}>
        <summary>{counted(tests, 'test')}</summary>
        <ul>
          {names.map(({ id, name }) => (
            <li>
              <a class="break" href={links.result(id)}>
                {visible(name)}
              </a>
            </li>
          ))}
          {results > names.length && (
            <li>
              <a href={all}>All {number(results)} results</a>
            </li>
          )}
        </ul>
      </details>
    </li>
  );
}

function FirstSeen({ group, run, links }: { group: Group } & Of) {
  const { run_id, commit, at } = group.first_seen;
  if (run_id === run.id) return <span>first seen in this run</span>;
  return (
    <span>
      first seen {run_id === null ? <Ago at={at} /> : <To href={links.run(run_id)}>{<Ago at={at} />}</To>}
      {commit !== null && (
        <>
          {' '}
          at <code>{shortCommit(commit)}</code>
        </>
      )}
    </span>
  );
}

function GroupStrip({ group, run }: { group: Group; run: Of['run'] }) {
  const outcomes = (group.outcomes ?? []).toReversed();
  if (outcomes.length === 0) return null;
  return (
    <Strip
      label={captionOf(group, run)}
      cells={outcomes.map(({ run_id, outcome }) => ({
        outcome: outcome ?? 'absent',
        label: `${outcome ?? 'neither failed nor passed'}${run_id === run.id ? ', this run' : ''}`,
      }))}
    />
  );
}

/** The strip of a group is of runs like this one. */
function captionOf({ outcomes = [] }: Group, run: Of['run']): string {
  const failed = outcomes.filter(({ outcome }) => outcome === 'failed').length;
  return `failed in ${failed} of the last ${counted(outcomes.length, 'run')} ${likeInWords(run)}`;
}

/** Each has its own cause. */
export function SingleFailures({ groups, ...of }: { groups: readonly Group[] } & Of) {
  return (
    <ol class="panel singles">
      {groups.map((group) => (
        <li data-row="failed">
          {group.example === null ? (
            <p class="soft">{visible(onOneLine(group.title, 200))}</p>
          ) : (
            <SingleFailure group={group} result={group.example} {...of} />
          )}
        </li>
      ))}
    </ol>
  );
}

function SingleFailure({ group, result, run, links }: { group: Group; result: Result } & Of) {
  const { failing_since: since, also_fails_on: others } = result;
  return (
    <>
      <div class="group-head">
        <h3>
          {group.new && <span class="badge new">new</span>}
          <a class="break" href={links.result(result.id)}>
            {visible(result.name)}
          </a>
        </h3>
        <GroupStrip group={group} run={run} />
      </div>
      {messageOf(result) !== '' && <p class="clip mono">{messageOf(result)}</p>}
      <p class="facts">
        <span>{captionOf(group, run)}</span>
        {since !== null && since.run_id !== run.id && (
          <span>
            failing since{' '}
            {since.run_id === null ? (
              <Ago at={since.at} />
            ) : (
              <To href={links.run(since.run_id)}>
                <Ago at={since.at} />
              </To>
            )}
          </span>
        )}
        {others !== null && others.length > 0 && (
          <span>
            also fails on{' '}
            {/* Of each its branch: with the environments no branch would be whole in this line. */}
            {[...new Set(others.map(({ branch }) => onOneLine(branch, 40)))].slice(0, 3).join(', ')}
          </span>
        )}
        {result.owner !== null && <span>{result.owner}</span>}
        {placeOf(result) !== null && <code class="break">{placeOf(result)}</code>}
      </p>
    </>
  );
}
