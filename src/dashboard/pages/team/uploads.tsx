/** What happened to the runs that a team submitted in the last 24 hours. */
import { errors, type ErrorCode } from '../../../errors.js';
import type { UploadCount } from '../../../http/backpressure/upload-counts.js';
import type { Page, PageRequest, Shown } from '../../page.js';
import { counted, number } from '../../parts/outcome.js';
import { Table } from '../../parts/lists/table.js';
import { TeamPage } from './tabs.js';

export const uploads: readonly Page[] = [
  {
    method: 'GET',
    path: '/teams/:team/team/uploads',
    role: 'member',
    handle: async (request) => uploadsPage(request),
  },
];

const HOUR_MS = 3_600_000;

function uploadsPage(request: PageRequest): Shown {
  const { server, team } = request;
  const counts = server.uploads(team.team_id);
  const accepted = sum(counts.filter(({ outcome }) => outcome === 'accepted'));
  const rejected = sum(counts) - accepted;
  return {
    title: 'Uploads',
    body: (
      <TeamPage request={request} here="/uploads">
        <p class="upload-verdict">
          {counts.length === 0
            ? 'No run was submitted in the last 24 hours.'
            : `${counted(accepted, 'submission')} accepted, ${number(rejected)} rejected in the last 24 hours`}
        </p>
        {counts.length > 0 && <Hours counts={counts} />}
        {rejected > 0 && <Reasons counts={counts} />}
        <p class="soft small">
          Every call of <code>POST /v1/test-runs</code> with a key of the team counts, repeated ones too. The
          counts are those of all processes of this server, since the start of the process that answers this
          page. Another server on the same stores has counts of its own, unless both use NATS.
        </p>
      </TeamPage>
    ),
  };
}

function sum(counts: readonly UploadCount[]): number {
  return counts.reduce((all, { count }) => all + count, 0);
}

/** A column an hour: accepted above the line, rejected below it. */
function Hours({ counts }: { counts: readonly UploadCount[] }) {
  const now = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  const hours = Array.from({ length: 24 }, (_, n) => new Date(now - (23 - n) * HOUR_MS).toISOString()).map(
    (hour) => {
      const here = counts.filter((each) => each.hour === hour);
      const accepted = sum(here.filter(({ outcome }) => outcome === 'accepted'));
      return { hour, accepted, rejected: sum(here) - accepted };
    },
  );
  const most = Math.max(1, ...hours.map(({ accepted, rejected }) => Math.max(accepted, rejected)));
  const height = (count: number) => (count === 0 ? 0 : Math.max(2, (count / most) * 40));
  return (
    <figure class="panel">
      <svg
        class="hours"
        viewBox="0 0 480 92"
        preserveAspectRatio="none"
        role="img"
        aria-label="Submissions by hour, the newest on the right"
      >
        <line x1="0" x2="480" y1="46" y2="46" />
        {hours.map(({ hour, accepted, rejected }, n) => (
          <g>
            <title>{`${hour.slice(11, 16)} UTC: ${accepted} accepted, ${rejected} rejected`}</title>
            <rect class="hit" x={n * 20} y="0" width="20" height="92" />
            <rect
              class="passed"
              x={n * 20 + 3}
              y={45 - height(accepted)}
              width="14"
              height={height(accepted)}
            />
            <rect class="failed" x={n * 20 + 3} y="47" width="14" height={height(rejected)} />
          </g>
        ))}
      </svg>
      <figcaption class="soft small">
        By hour (UTC), {hours[0]!.hour.slice(11, 16)} yesterday to now: accepted above the line, rejected
        below it.
      </figcaption>
    </figure>
  );
}

function Reasons({ counts }: { counts: readonly UploadCount[] }) {
  const byCode = new Map<ErrorCode, number>();
  for (const { outcome, count } of counts) {
    if (outcome !== 'accepted') byCode.set(outcome, (byCode.get(outcome) ?? 0) + count);
  }
  return (
    <>
      <h2>Rejected, by reason</h2>
      <Table columns={{ Reason: '', Rejected: 'number' }}>
        {[...byCode]
          .toSorted(([, a], [, b]) => b - a)
          .map(([code, count]) => (
            <tr data-row="failed">
              <td>
                {errors[code].title}{' '}
                <a class="small" href={`/problems/${code}`}>
                  <code>{code}</code>
                </a>
                <div class="soft small">{errors[code].advice}</div>
              </td>
              <td class="number">{number(count)}</td>
            </tr>
          ))}
      </Table>
    </>
  );
}
