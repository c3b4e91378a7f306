/** How a job sends the reports of its tests to a project, for each CI service. */
import { recipes } from '../text/commands.js';
import { Copied } from './notice.js';

export function Recipes({ origin, project }: { origin: string; project: string }) {
  return (
    <>
      <p>
        JUnit, CTRF, Playwright’s JSON, TRX, NUnit, xUnit, Allure results, the JSON of go test, Cucumber
        messages and the output of Robot are read as they are. The command line comes from this server, as do{' '}
        <a href="/clients/">the reporters and the pytest plugin</a>. All of them take the key from{' '}
        <code>TESTLEDGER_API_KEY</code>, which a shell of your own has to export first.
      </p>
      {recipes(origin, project).map(({ name, text }, index) => (
        <details open={index === 0}>
          <summary>{name}</summary>
          <Copied text={text} label="Copy the commands" />
        </details>
      ))}
    </>
  );
}
