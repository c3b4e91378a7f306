/** The facts of one result: how it ended, since when, where else, and how its test does. */
import { ranAt } from '../../../domain/instant.js';
import { EditorLink } from '../../parts/editor-link.js';
import { Fact } from '../../parts/fact.js';
import { OutOf } from '../../parts/out-of.js';
import { Outcome } from '../../parts/outcome.js';
import { Tags } from '../../parts/tags.js';
import { Ago, duration } from '../../parts/time.js';
import { To } from '../../parts/to.js';
import type { Links } from '../run/links.js';
import { commitUrl, compareUrl, fileUrl } from '../../text/repo-links.js';
import { failingPlace, placeOf, shortCommit, visible } from '../../text/short.js';
import { inEnvironment, isInEnvironments } from '../test/in-environment.js';
import { failsInWords, looks, stateName, worstLine } from '../test/state.js';
import { usualDuration, type ResultView } from './load.js';

export function Facts({ view, links }: { view: ResultView; links: Links }) {
  const { result, test, outcomes, outcomesTotal, project, testId, groupHasPage } = view;
  const { failing_since, last_passed, also_fails_on, group, owner } = result;
  const place = placeOf(result);
  const { commit } = view.run ?? { commit: null };
  const toTest = links.test(project.id, testId);
  return (
    <dl class="fact-grid panel">
      <Fact name="Status">
        <Outcome of={result.status} />
        {result.known && <span class="badge known">known</span>}
        {result.superseded_by !== null && (
          <a class="small" href={links.result(result.superseded_by)}>
            a later attempt replaces it
          </a>
        )}
      </Fact>
      {failing_since !== null && (
        <Fact name="Failing since">
          {failing_since.run_id === result.test_run_id ? (
            <strong>this run</strong>
          ) : (
            <Where moment={failing_since} links={links} project={project} />
          )}
          <OutOf href={last_passed && compareUrl(project, last_passed.commit, failing_since.commit)}>
            what changed
          </OutOf>
        </Fact>
      )}
      {result.status === 'failed' && failing_since !== null && (
        <Fact name="Last passed">
          {last_passed === null ? (
            'never on this branch'
          ) : (
            <Where moment={last_passed} links={links} project={project} />
          )}
        </Fact>
      )}
      {also_fails_on !== null && <AlsoFailsOn places={also_fails_on} path={toTest} />}
      {test !== null && (
        <StateOfTest test={test} environment={result.environment_key} total={outcomesTotal} path={toTest} />
      )}
      <Fact name="When">
        <Ago at={ranAt(result)} />
      </Fact>
      <Took ms={result.duration_ms} outcomes={outcomes} />
      {result.environment_key !== '' && (
        <Fact name="Environment">
          <span class="name break">{result.environment_key}</span>
        </Fact>
      )}
      {place !== null && (
        <Fact name="File">
          <OutOf href={fileUrl(project, commit, result)} plain>
            <span class="mono name break">{place}</span>
          </OutOf>
          <copy-button data-text={place} />
          <EditorLink project={project} place={result} />
        </Fact>
      )}
      {owner !== null && (
        <Fact name="Owner">
          <span class="name break">{owner}</span>
        </Fact>
      )}
      <TagsOf tags={result.tags} base={links.project(project.id)} />
      <LinksOf found={result.links} />
      {group !== null && (
        <Fact name="Cause" wide>
          <To class="name break" href={groupHasPage ? links.group(project.id, group.id) : undefined}>
            {visible(group.title)}
          </To>
        </Fact>
      )}
    </dl>
  );
}

function TagsOf({ tags, base }: { tags: readonly string[]; base: string | undefined }) {
  if (tags.length === 0) return null;
  return (
    <Fact name="Tags">
      <Tags tags={tags} base={base} />
    </Fact>
  );
}

/** To an issue or a specification, as the test names them. */
function LinksOf({ found }: { found: ResultView['result']['links'] }) {
  if (found.length === 0) return null;
  return (
    <Fact name="Links" wide={found.length > 3}>
      {found.map(({ name, url }, n) => (
        <span class="name break">
          {n > 0 && ', '}
          <OutOf href={url}>{visible(name)}</OutOf>
        </span>
      ))}
    </Fact>
  );
}

type Places = NonNullable<ResultView['result']['also_fails_on']>;

/** Each leads to the test on that branch, and in that environment if there is one. */
function AlsoFailsOn({ places, path }: { places: Places; path: string | undefined }) {
  const queryOf = ({ branch, environment_key }: Places[number]) =>
    new URLSearchParams({ branch, ...(environment_key !== '' && { environment: environment_key }) });
  return (
    <Fact name="Also fails on">
      {places.length === 0
        ? 'nothing else'
        : places.map((place) => (
            <To class="mono name break" href={path && `${path}?${queryOf(place).toString()}`}>
              {failingPlace(place)}
            </To>
          ))}
    </Fact>
  );
}

/** How long it took, and how long its test usually takes. */
function Took({ ms, outcomes }: { ms: number | null } & Pick<ResultView, 'outcomes'>) {
  const usual = usualDuration(outcomes);
  return (
    <Fact name="Took">
      {duration(ms)}
      {usual !== null && usual.p95 > 0 && (
        <span class="soft small">
          usually {duration(usual.p50)}
          {duration(usual.p95) !== duration(usual.p50) && `, rarely over ${duration(usual.p95)}`}
        </span>
      )}
    </Fact>
  );
}

/** As the page of the test says it, and how often it fails in the environment of the result. */
function StateOfTest({
  test,
  environment,
  total,
  path,
}: {
  test: NonNullable<ResultView['test']>;
  environment: string;
  total: number;
  path: string | undefined;
}) {
  const line = worstLine(test);
  const name = stateName(line);
  const fails = failsInWords(test, total);
  return (
    <Fact name="State of the test">
      <To href={path}>
        <span class={`badge ${looks[name]}`}>{name}</span>
      </To>
      {line.environment_key !== environment && <span class="small break">{inEnvironment(line)}</span>}
      <span class="soft small break">
        fails {fails.share} {fails.of}
        {isInEnvironments(test) && ` ${inEnvironment({ environment_key: environment })}`}
      </span>
    </Fact>
  );
}

type Moment = NonNullable<ResultView['result']['failing_since']>;

function Where({
  moment: { run_id, commit, at },
  links,
  project,
}: {
  moment: Moment;
  links: Links;
  project: ResultView['project'];
}) {
  const text = <Ago at={at} />;
  return (
    <>
      {run_id === null ? text : <To href={links.run(run_id)}>{text}</To>}
      {commit !== null && (
        <OutOf href={commitUrl(project, commit)} plain>
          <code class="name break">{shortCommit(commit)}</code>
        </OutOf>
      )}
    </>
  );
}
