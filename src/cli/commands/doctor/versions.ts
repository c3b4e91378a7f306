/** The check of this program and its Node. */
import { version } from '../../../version.js';
import { failed, ok, type Finding } from './check.js';

const LEAST_NODE = [20, 19] as const;

export function checkVersions(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isOld = major < LEAST_NODE[0] || (major === LEAST_NODE[0] && minor < LEAST_NODE[1]);
  const message = `testledger ${version} on Node ${process.versions.node}`;
  return isOld
    ? failed('versions', message, `Install Node ${LEAST_NODE.join('.')} or newer.`)
    : ok('versions', message);
}
