/** The parts of a run that came, and what is missing. Live. */
import { counted, number } from '../../parts/outcome.js';
import { duration } from '../../parts/time.js';
import { Columns } from '../../parts/lists/table.js';
import { missingShards } from '../../text/verdict.js';
import type { Run } from './read-run.js';

const SHOWN = 12;

export function Shards({ shards }: { shards: NonNullable<Run['shards']> }) {
  const missing = missingShards(shards);
  // Of an index that came again, the last attempt counts.
  const last = new Map(shards.received.map((shard) => [shard.index, shard]));
  const slowest = [...last.values()].toSorted(
    (one, other) => (other.duration_ms ?? 0) - (one.duration_ms ?? 0),
  );
  return (
    <section class="panel" aria-labelledby="shards">
      <h2 id="shards">
        Shards
        <span class="count">
          {number(last.size)} of {number(shards.total)}
        </span>
      </h2>
      <ShardMap total={shards.total} received={new Set(last.keys())} />
      {missing !== null && (
        <p>
          Missing: <strong>{missing}</strong>
        </p>
      )}
      {slowest.length > 0 && (
        <details id="shard-list">
          <summary>{slowest.length > SHOWN ? `The ${SHOWN} slowest` : 'Slowest first'}</summary>
          <table>
            <Columns of={{ Shard: '', Results: 'number', Duration: 'number' }} />
            <tbody>
              {slowest.slice(0, SHOWN).map(({ index, attempt, results, duration_ms }) => (
                <tr>
                  <td>
                    {index}
                    {attempt > 1 && <span class="soft">, attempt {attempt}</span>}
                  </td>
                  <td class="number">{number(results)}</td>
                  <td class="number">{duration(duration_ms)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      )}
    </section>
  );
}

/** One mark for each shard, up to a hundred. Not green: a shard that came may have failures. */
function ShardMap({ total, received }: { total: number; received: ReadonlySet<number> }) {
  if (total > 100) return null;
  const text = `${counted(received.size, 'shard')} of ${number(total)} came`;
  return (
    <svg
      class="shard-map"
      width={total * 12}
      height="12"
      viewBox={`0 0 ${total * 12} 12`}
      role="img"
      aria-label={text}
    >
      {Array.from({ length: total }, (_, n) => (
        <rect
          class={received.has(n + 1) ? 'received' : 'absent'}
          x={n * 12}
          y={received.has(n + 1) ? 0 : 4}
          width="10"
          height={received.has(n + 1) ? 12 : 4}
        />
      ))}
    </svg>
  );
}
