/** The addresses in pages as text: whole ones, because they are read in another place than on a page. */
import { linksOf } from '../pages/run/links.js';

/** `.md` and `.json` stand behind the address of a run, a group, a result and a test. */
export type TextLinks = {
  run(id: string): string;
  group(project: string, id: string): string;
  result(id: string): string;
  test(project: string, id: string): string;
  artifact(id: string): string;
  /** Where everything is that a text has left out. */
  whole: Pick<TextLinks, 'run' | 'group' | 'result' | 'test'>;
};

/** For a person of the team. */
export function linksOfMember(team: string, origin: string): TextLinks {
  const { run, group, result, test, artifact } = linksOf(team, origin);
  const pages = { run, group, result, test };
  return { ...pages, artifact: (id) => artifact(id, ''), whole: pages };
}

/** For an API key, which opens no page in HTML: all of it is in lists of the API. */
export function linksOfKey(origin: string): TextLinks {
  const at =
    (path: string) =>
    (...ids: string[]): string =>
      ids.reduce((address, id) => address.replace('*', () => encodeURIComponent(id)), origin + path);
  return {
    run: at('/runs/*'),
    group: at('/groups/*/*'),
    result: at('/results/*'),
    test: (_project, id) => at('/tests/*')(id),
    artifact: at('/v1/test/artifact/*/download'),
    whole: {
      run: at('/v1/test-runs/*/failures'),
      group: at('/v1/projects/*/failures/*'),
      result: at('/v1/test-results/*'),
      test: at('/v1/projects/*/tests/*/outcomes'),
    },
  };
}
