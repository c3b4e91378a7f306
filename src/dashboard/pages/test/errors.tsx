/** What a test fails with, and when. */
import { counted } from '../../parts/outcome.js';
import { Ago } from '../../parts/time.js';
import { Table } from '../../parts/lists/table.js';
import type { Outcome } from '../result/load.js';
import { errorGroups, stands, type TestView } from './load.js';
import { visible } from '../../text/short.js';

const MOST_GROUPS = 10;

export function Errors({ view: { outcomes, project }, base }: { view: TestView; base: string }) {
  const groups = errorGroups(outcomes);
  if (groups.length === 0) return null;
  return (
    <section aria-labelledby="errors">
      <h2 id="errors">
        Errors <span class="count">in these {outcomes.length} outcomes</span>
      </h2>
      <Table columns={{ Error: '', Failures: 'number', When: 'wide-only', Last: '' }}>
        {groups.slice(0, MOST_GROUPS).map((group) => (
          <tr data-row="failed">
            <td>
              {stands(group) ? (
                <a class="name break" href={`${base}/projects/${project.id}/failures/${group.id}`}>
                  {visible(group.title.slice(0, 200))}
                </a>
              ) : (
                <span class="name break">{visible(group.title.slice(0, 200))}</span>
              )}
            </td>
            <td class="number">{group.outcomes.length}</td>
            <td class="wide-only">
              <Times of={group.id} outcomes={outcomes} />
            </td>
            <td>
              <a href={`${base}/results/${group.outcomes[0]!.result_id}`}>
                <Ago at={group.outcomes[0]!.at} />
              </a>
            </td>
          </tr>
        ))}
      </Table>
      {groups.length > MOST_GROUPS && (
        <p class="soft small">{counted(groups.length - MOST_GROUPS, 'more error')} with fewer failures.</p>
      )}
    </section>
  );
}

/** Where among the outcomes a group failed: a thin strip, one column for each of its failures. */
function Times({ of, outcomes }: { of: string; outcomes: readonly Outcome[] }) {
  const inOrder = outcomes.toReversed();
  const at = inOrder.flatMap(({ group }, n) => (group?.id === of ? [n] : []));
  const text = `${counted(at.length, 'failure')} among ${counted(inOrder.length, 'outcome')}`;
  return (
    <svg
      class="strip"
      width={inOrder.length * 3}
      height="14"
      viewBox={`0 0 ${inOrder.length * 3} 14`}
      preserveAspectRatio="none"
      role="img"
      aria-label={text}
    >
      <rect class="absent" x="0" y="6" width={inOrder.length * 3} height="2" />
      {at.map((n) => (
        <rect class="failed" x={n * 3} y="0" width="2" height="14" />
      ))}
    </svg>
  );
}
