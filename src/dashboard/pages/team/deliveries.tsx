/** Deliveries of a webhook. One of them, which the URL names, shows its attempts. */
import type { Paths } from '../../../client/api.generated.js';
import { ButtonForm } from '../../parts/forms/form.js';
import { Live } from '../../parts/live.js';
import { counted } from '../../parts/outcome.js';
import { Paged, withParams, type ListPage } from '../../parts/lists/pager.js';
import { Ago, duration, utc } from '../../parts/time.js';
import { Table } from '../../parts/lists/table.js';
import { DeliveryState } from './webhook-parts.js';

export type Delivery =
  Paths['/v1/webhooks/{id}/deliveries']['get']['responses'][200]['content']['application/json']['data'][number];

/** An attempt shows up to 1 kB of an answer; a delivery that was sent again and again has up to 50. */
const ATTEMPTS_SHOWN = 20;

export function Deliveries({
  deliveries,
  isFiltered,
  list,
  path,
  csrf,
}: {
  deliveries: readonly Delivery[];
  isFiltered: boolean;
  list: ListPage;
  /** Of the webhook. */
  path: string;
  csrf: string;
}) {
  const { url } = list;
  const opened = url.searchParams.get('delivery');
  const none = isFiltered
    ? 'No delivery is in this state.'
    : 'Nothing was sent yet. A ping shows at once whether the endpoint answers.';
  return (
    <Paged list={list} shown={deliveries.length} empty={<p class="panel empty">{none}</p>}>
      <Table columns={{ Event: '', State: '', 'Last attempt': '', Attempts: 'number wide-only' }}>
        {deliveries.map((delivery) => (
          <>
            <Row delivery={delivery} url={url} isOpen={delivery.id === opened} />
            {delivery.id === opened && (
              <tr>
                <td colSpan={4} class="opened">
                  <Opened delivery={delivery} path={path} csrf={csrf} />
                </td>
              </tr>
            )}
          </>
        ))}
      </Table>
    </Paged>
  );
}

function Row({ delivery, url, isOpen }: { delivery: Delivery; url: URL; isOpen: boolean }) {
  const { id, type, state, attempts, next_attempt_at } = delivery;
  const last = attempts.at(-1);
  return (
    <tr data-row={state === 'exhausted' ? 'failed' : ''}>
      <td>
        <a
          href={withParams(url, { delivery: isOpen ? null : id, done: null, count: null })}
          aria-expanded={isOpen ? 'true' : 'false'}
        >
          {type}
        </a>
      </td>
      <td>
        <DeliveryState state={state} />
      </td>
      <td>
        {last === undefined ? (
          <span class="soft">
            {state === 'pending' && next_attempt_at === null ? 'waits its turn' : 'none'}
          </span>
        ) : (
          <>
            <Ago at={last.at} />{' '}
            <span class="soft small">
              <Answer {...last} />
            </span>
          </>
        )}
      </td>
      <td class="wide-only number">{attempts.length}</td>
    </tr>
  );
}

/** Without an answer, the time says nothing. */
function Answer({ status, duration_ms }: Pick<Delivery['attempts'][number], 'status' | 'duration_ms'>) {
  return <>{status === null ? 'no answer' : `${status} in ${duration(duration_ms)}`}</>;
}

function Opened({ delivery, path, csrf }: { delivery: Delivery; path: string; csrf: string }) {
  const { id, event_id, state } = delivery;
  return (
    <>
      <div class="toolbar">
        <p class="soft small break">
          Message <code>{event_id}</code>
        </p>
        <ButtonForm action={`${path}/deliveries/${encodeURIComponent(id)}/resend`} csrf={csrf}>
          {state === 'pending' ? 'Send now' : 'Send again'}
        </ButtonForm>
      </div>
      <Live id="attempts">
        <Attempts delivery={delivery} />
      </Live>
    </>
  );
}

/** The attempts of the delivery that is opened, the newest first. */
export function Attempts({ delivery: { attempts, next_attempt_at } }: { delivery: Delivery }) {
  const shown = attempts.slice(-ATTEMPTS_SHOWN).toReversed();
  return (
    <>
      {next_attempt_at !== null && (
        <p class="soft small">
          Next attempt <Ago at={next_attempt_at} />
        </p>
      )}
      {attempts.length > shown.length && (
        <p class="soft small">{counted(attempts.length - shown.length, 'earlier attempt')} not shown.</p>
      )}
      {shown.map((attempt, n) => (
        <div class="attempt">
          <h3>
            Attempt {attempts.length - n} · <Answer {...attempt} />{' '}
            <span class="soft small">{utc(attempt.at)}</span>
          </h3>
          {attempt.error !== null && <p class="small break">{attempt.error}</p>}
          {attempt.response !== null && attempt.response !== '' && (
            <pre class="block" tabIndex={0} aria-label="Answer of the endpoint">
              {attempt.response}
            </pre>
          )}
        </div>
      ))}
    </>
  );
}
