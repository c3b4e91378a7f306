/** The table of pages. A new page is a file in `pages/` and a line here. */
import { fail } from '../errors.js';
import type { OpenPage, Page } from './page.js';
import { change } from './pages/change/change.js';
import { compareBranches } from './pages/change/compare-branches.js';
import { resultHistory } from './pages/history/result-history.js';
import { runHistory } from './pages/history/run-history.js';
import { insights } from './pages/insights/insights.js';
import { home } from './pages/home.js';
import { operations } from './pages/operations.js';
import { account } from './pages/people/account.js';
import { confirm } from './pages/people/confirm.js';
import { external } from './pages/people/external.js';
import { firstStart } from './pages/people/first-start.js';
import { invitation } from './pages/people/invitation.js';
import { reset } from './pages/people/reset.js';
import { signIn } from './pages/people/sign-in.js';
import { cause } from './pages/cause/cause.js';
import { causeForms } from './pages/cause/cause-forms.js';
import { failures } from './pages/project/failures.js';
import { runs } from './pages/project/runs.js';
import { settings } from './pages/project/settings.js';
import { badges } from './pages/project/badges.js';
import { trusts } from './pages/project/trusts.js';
import { deleteForGood } from './pages/delete-for-good.js';
import { tests } from './pages/project/tests.js';
import { projects } from './pages/projects/projects.js';
import { search } from './pages/search.js';
import { shortcuts } from './pages/shortcuts.js';
import { knownFailureForms } from './pages/result/known-failure-forms.js';
import { result } from './pages/result/result.js';
import { audit } from './pages/team/audit.js';
import { keys } from './pages/team/keys.js';
import { members } from './pages/team/members.js';
import { teamSettings } from './pages/team/settings.js';
import { redactions } from './pages/team/redactions.js';
import { removeMember } from './pages/team/remove-member.js';
import { uploads } from './pages/team/uploads.js';
import { usage } from './pages/team/usage.js';
import { webhook } from './pages/team/webhook.js';
import { webhooks } from './pages/team/webhooks.js';
import { test } from './pages/test/test.js';
import { demo } from './pages/today/demo.js';
import { today } from './pages/today/today.js';
import { asBaselineForm } from './pages/run/as-baseline.js';
import { pinForm } from './pages/run/pin.js';
import { redactForms } from './pages/run/redact.js';
import { compare } from './pages/run/compare.js';
import { runFailures } from './pages/run/failures.js';
import { runResults } from './pages/run/results.js';
import { run } from './pages/run/run.js';
import { shareRun } from './pages/run/share.js';

/** Pages of a team. */
export const pages: readonly Page[] = [
  today,
  demo,
  search,
  ...projects,
  runs,
  change,
  compareBranches,
  tests,
  failures,
  cause,
  ...causeForms,
  ...insights,
  ...settings,
  ...trusts,
  ...badges,
  ...deleteForGood,
  ...result,
  ...test,
  ...knownFailureForms,
  ...members,
  ...teamSettings,
  ...removeMember,
  ...keys,
  ...webhooks,
  ...webhook,
  ...uploads,
  usage,
  ...audit,
  ...redactions,
  ...operations,
  ...run,
  ...asBaselineForm,
  ...pinForm,
  ...redactForms,
  ...shareRun,
  ...runFailures,
  ...runResults,
  ...compare,
  ...runHistory,
  ...resultHistory,
];

/** For a person whose link is cut off or has a slip. The path says only that it needs nothing else. */
export const missingPage: OpenPage = {
  method: 'GET',
  path: '/*rest',
  handle: async () => fail('not_found', 'There is no such page.'),
};

/** Pages without a team. */
export const openPages: readonly OpenPage[] = [
  ...home,
  ...shortcuts,
  ...signIn,
  ...confirm,
  ...external,
  ...firstStart,
  ...invitation,
  ...reset,
  ...account,
];
