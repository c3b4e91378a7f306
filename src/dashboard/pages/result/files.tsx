/** The artifacts of a result: pictures, films and logs in the page, everything else as a download. */
import { bytesText } from '../../../domain/text/amounts.js';
import type { Files } from '../../page.js';
import { counted, number, Outcome } from '../../parts/outcome.js';
import { canShowTraces } from '../../trace-viewer.js';
import { visible } from '../../text/short.js';
import type { Links } from '../run/links.js';
import type { ResultView } from './load.js';
import { sortedArtifacts, type ArtifactRecord, type Triple } from './sort-artifacts.js';

type Href = (artifact: ArtifactRecord) => string;

/** `isOpen`: the first log is, since it is read beside what failed. */
type Shown = { artifacts: readonly ArtifactRecord[]; href: Href; files: Files; isOpen?: boolean };

/** Those of this attempt, and below them those of the others, each attempt for itself. */
export function FilesOfResult({
  view: { result, artifacts, otherFiles },
  links,
  files,
}: {
  view: ResultView;
  links: Links;
  files: Files;
}) {
  const hrefIn =
    (id: string): Href =>
    ({ artifact_id }) =>
      links.artifact(artifact_id, id);
  if (artifacts.length + otherFiles.length === 0) return null;
  return (
    <section aria-labelledby="artifacts">
      <h2 id="artifacts">
        Artifacts{' '}
        <span class="count">{artifacts.length > 0 ? number(artifacts.length) : 'none of this attempt'}</span>
      </h2>
      <Sorted
        artifacts={artifacts}
        href={hrefIn(result.id)}
        files={files}
        isOpen={result.status === 'failed'}
      />
      {otherFiles.map(({ attempt: { result_id, attempt, status }, artifacts: theirs }, n) => (
        <details
          class="panel other-files"
          id={`files-${attempt}-${result_id}`}
          open={artifacts.length === 0 && n === 0}
        >
          <summary>
            <Outcome of={status} plain /> Attempt {attempt}{' '}
            <span class="soft small">{counted(theirs.length, 'file')}</span>
          </summary>
          <Sorted artifacts={theirs} href={hrefIn(result_id)} files={files} />
        </details>
      ))}
    </section>
  );
}

function Sorted({ artifacts, href, files, isOpen = false }: Shown) {
  const sorted = sortedArtifacts(artifacts);
  return (
    <>
      {sorted.triples.map((triple) => (
        <Comparison triple={triple} href={href} />
      ))}
      {sorted.images.length > 0 && (
        <div class="pictures">
          {sorted.images.map((image) => (
            <Picture image={image} href={href(image)} />
          ))}
        </div>
      )}
      {sorted.videos.map((video, n) => (
        <figure class="panel film">
          <video
            controls
            preload={isOpen && n === 0 ? 'metadata' : 'none'}
            src={href(video)}
            aria-label={video.label}
          />
          <Caption of={video} href={href(video)} />
        </figure>
      ))}
      {sorted.sounds.map((sound) => (
        <figure class="panel film">
          <audio controls preload="none" src={href(sound)} aria-label={sound.label} />
          <Caption of={sound} href={href(sound)} />
        </figure>
      ))}
      {sorted.logs.map((log, n) => (
        <Log log={log} href={href(log)} isOpen={isOpen && n === 0} />
      ))}
      <Downloads sorted={sorted} href={href} files={files} />
    </>
  );
}

function Caption({ of, href }: { of: ArtifactRecord; href: string }) {
  return (
    <figcaption class="small">
      <a class="break name" href={href}>
        {visible(of.label)}
      </a>{' '}
      <span class="soft">{bytesText(of.size_bytes)}</span>
    </figcaption>
  );
}

function Picture({ image, href }: { image: ArtifactRecord; href: string }) {
  return (
    <figure class="panel picture">
      <a href={href}>
        <img src={href} alt={image.label} loading="lazy" />
      </a>
      <Caption of={image} href={href} />
    </figure>
  );
}

/** Without scripts the pictures stand side by side. */
function Comparison({ triple, href }: { triple: Triple; href: Href }) {
  const { name, expected, actual, diff } = triple;
  const parts = [
    { word: 'Expected', of: expected },
    { word: 'Actual', of: actual },
    ...(diff === null ? [] : [{ word: 'Difference', of: diff }]),
  ];
  return (
    <section class="panel" aria-label={`Comparison of ${name}`}>
      <h3 class="break name">{name}</h3>
      <image-diff
        data-expected={href(expected)}
        data-actual={href(actual)}
        data-diff={diff === null ? undefined : href(diff)}
        data-label={name}
      >
        <div class="pictures">
          {parts.map(({ word, of }) => (
            <figure class="picture">
              <a href={href(of)}>
                <img src={href(of)} alt={`${word}: ${name}`} loading="lazy" />
              </a>
              <figcaption class="small">{word}</figcaption>
            </figure>
          ))}
        </div>
      </image-diff>
    </section>
  );
}

function Log({ log, href, isOpen }: { log: ArtifactRecord; href: string; isOpen: boolean }) {
  return (
    <details class="panel log" open={isOpen}>
      <summary>
        <span class="break name">{visible(log.label)}</span>{' '}
        <span class="soft small">{bytesText(log.size_bytes)}</span>
      </summary>
      <log-view data-src={href} data-size={String(log.size_bytes)} data-label={log.label}>
        <p class="small">
          <a href={href}>Open the file</a>
        </p>
      </log-view>
    </details>
  );
}

function Downloads({
  sorted: { traces, untrusted, others },
  href,
  files,
}: {
  sorted: ReturnType<typeof sortedArtifacts>;
  href: Href;
  files: Files;
}) {
  const all = [...traces, ...untrusted, ...others];
  if (all.length === 0) return null;
  const showsTraces = files.untrustedOrigin !== null && canShowTraces(files.untrustedOrigin);
  return (
    <div class="panel">
      <h3>Downloads</h3>
      <ul class="files">
        {all.map((artifact) => (
          <li>
            <a class="break name" href={href(artifact)} download="">
              {visible(artifact.label)}
            </a>{' '}
            <span class="soft small">
              {bytesText(artifact.size_bytes)}, <span class="name">{artifact.content_type.slice(0, 60)}</span>
            </span>
            {files.untrustedOrigin !== null && untrusted.includes(artifact) && (
              <Apart href={`${href(artifact)}?open=1`} text="Open apart" />
            )}
            {showsTraces && traces.includes(artifact) && (
              <Apart href={`${href(artifact)}?viewer=1`} text="Open the trace" />
            )}
          </li>
        ))}
      </ul>
      {untrusted.length > 0 && files.untrustedOrigin === null && (
        <p class="hint">HTML, SVG and XML can run scripts, so they can only be downloaded.</p>
      )}
      {traces.length > 0 && !showsTraces && (
        <p class="hint">
          Download a trace, then open it with <code>npx playwright show-trace</code>.
        </p>
      )}
    </div>
  );
}

/** A link into a window that knows nothing of the page. */
function Apart({ href, text }: { href: string; text: string }) {
  return (
    <>
      {' '}
      <a href={href} target="_blank" rel="noopener noreferrer">
        {text}
      </a>
    </>
  );
}
