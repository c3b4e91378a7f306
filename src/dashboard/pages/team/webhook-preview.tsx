/** What a webhook would have sent, before it is saved. */
import type { components } from '../../../client/api.generated.js';
import { counted } from '../../../domain/text/amounts.js';
import { Ago } from '../../parts/time.js';

/** That a form with a preview shows. */
export const PREVIEW_FAULTS = ['target_refused', 'not_found', 'overloaded'] as const;

export type Preview = components['schemas']['WebhookPreview'];

/** Sends the form that it stands in to the page with the preview. `path`: of the form. */
export function PreviewButton({ path }: { path: string }) {
  return (
    <button type="submit" formaction={`${path}/preview#preview`}>
      Preview
    </button>
  );
}

export function WebhookPreview({ preview: { messages, examples, since, complete } }: { preview: Preview }) {
  return (
    <div id="preview" class="notice" role="status">
      <p>
        In the last seven days it would have sent <strong>{counted(messages, 'message')}</strong>.
        {!complete && (
          <>
            {' '}
            That counts the newest only, since <Ago at={since} />: there were more.
          </>
        )}
      </p>
      {examples.map((body, n) => (
        <details open={n === 0}>
          <summary>{n === 0 ? 'The newest message' : `The one before${n === 1 ? '' : ' that'}`}</summary>
          <pre class="block" tabIndex={0}>
            {JSON.stringify(body, null, 2)}
          </pre>
        </details>
      ))}
    </div>
  );
}
