import { expect } from 'chai';
import { OPERATOR_TEAM } from '../../../src/commands/teams.js';
import { csvOf } from '../../../src/dashboard/text/csv.js';
import { pageServer, unescaped } from '../../kit/page-server.js';

describe('the page of the audit', () => {
  const server = pageServer();
  const base = `/teams/${OPERATOR_TEAM}/team`;
  const page = async (query = '') => server.get(`${base}/audit${query}`, { as: 'admin' });
  before(async () => {
    await server.post(`${base}/keys`, { as: 'admin', form: { name: '=CMD "x"', role: 'viewer' } });
  });

  it('says in words who did what, when and from where, as far as that is known', async () => {
    const text = unescaped((await page()).text);
    expect(text).to.include('made the key "=CMD "x"" as viewer.');
    expect(text).to.include('Key made');
    // The people of these tests have no key of their own, with which it would be sealed.
    expect(text).to.include('not known');
    expect(text).to.match(/became a member as viewer\./i);
  });

  it('shows one type of acts, those of one actor, or those of an age, and says so', async () => {
    const made = (await page('?q=type:key_made')).text;
    expect(made).to.include('CMD').and.not.to.include('became a member');
    const by = (await page('?q=actor:person_admin')).text;
    expect(by).to.include('CMD');
    expect((await page('?q=age:1h+type:key_made')).text).to.include('CMD');
    expect((await page('?q=type:sign_out')).text).to.include('Nothing was done here');
    expect((await page('?q=type:x+actor:x')).text).to.include('Left out:');
  });

  it('is a file as CSV, in which no name is a formula, and as JSON, with the same filter', async () => {
    const csv = await server.get(`${base}/audit/csv?q=type:key_made`, { as: 'admin' });
    expect(csv.headers['content-type']).to.equal('text/csv; charset=utf-8');
    const [head, row] = csv.text.split('\r\n');
    expect(head).to.equal('at,type,text,actor,actor_id,subject,subject_id,network,agent,id');
    expect(row).to.include(`made the key ""=CMD ""x"""" as viewer."`);
    expect(row).to.include(`"'=CMD ""x"""`);
    const json = await server.get(`${base}/audit/json?q=type:key_made`, { as: 'admin' });
    expect(JSON.parse(json.text).data.map(({ type }: any) => type)).to.include('key_made');
  });

  it('writes cells as spreadsheets read them', () => {
    expect(csvOf([['a', 'b,c', 'd"e', '@f', '-1\n']])).to.equal(`a,"b,c","d""e",'@f,"'-1\n"\r\n`);
  });
});
