/** How much room the projects of a team take, and how much more than 30 days before. */
import type { components } from '../../../client/api.generated.js';
import { bytesText } from '../../../domain/text/amounts.js';
import type { Page, PageRequest, Shown } from '../../page.js';
import { number } from '../../parts/outcome.js';
import { Paged, Pager, pageOf } from '../../parts/lists/pager.js';
import { Table } from '../../parts/lists/table.js';
import { Ago } from '../../parts/time.js';
import { linksOf } from '../run/links.js';
import { shortened, TeamPage } from './tabs.js';

const PER_PAGE = 50;

type Usage = components['schemas']['Usage'];

export const usage: Page = {
  method: 'GET',
  path: '/teams/:team/team/usage',
  role: 'admin',
  handle: usagePage,
};

async function usagePage(request: PageRequest): Promise<Shown> {
  const { api, url, team } = request;
  const page = pageOf(url);
  const { data, pagination } = await api.get('/v1/usage', { query: { page, per_page: PER_PAGE } });
  const list = { url, page, perPage: PER_PAGE, total: pagination.total };
  const links = linksOf(team.team_id);
  const columns = {
    Project: '',
    Verdicts: 'number',
    Contents: 'number',
    Files: 'number',
    Since: 'wide-only',
  };
  return {
    title: 'Usage',
    body: (
      <TeamPage request={request} here="/usage">
        <Paged list={list} shown={data.length} empty={<p class="panel empty">There is no project yet.</p>}>
          <Table class="stacked" columns={columns}>
            {data.map(({ project_id, name, verdicts, contents, artifacts, since }) => (
              <tr data-row>
                <th scope="row">
                  <a class="break" href={`${links.project(project_id)}/settings`}>
                    {shortened(name)}
                  </a>
                </th>
                <Room of={verdicts} what={`${number(verdicts.count)} verdicts, about`} />
                <Room of={contents} what="contents" />
                <Room of={artifacts} what={`${number(artifacts.count)} files`} />
                <td class="wide-only">
                  <Ago at={since} />
                </td>
              </tr>
            ))}
          </Table>
        </Paged>
        <Pager {...list} />
        <p class="soft small">
          Below each amount is what it grew by in 30 days, or since the day in the last column. Contents
          (messages, errors, output and other metadata) and files are measured as they are stored, each
          content once. Verdicts are an estimate: their number times what one takes. What a project keeps for
          how long is in its settings; verdicts stay.
        </p>
      </TeamPage>
    ),
  };
}

function Room({
  of: { bytes, grown },
  what,
}: {
  of: Pick<Usage['contents'], 'bytes' | 'grown'>;
  what: string;
}) {
  return (
    <td class="number">
      <span class="soft small">{what} </span>
      <span class="nowrap">{bytesText(bytes)}</span>
      <div class="soft small nowrap change">
        {grown >= 0 && '+'}
        {bytesText(grown)}
      </div>
    </td>
  );
}
