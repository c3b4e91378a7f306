/** All checks of a machine that runs a server: its configuration, its folders and disks, the port, and the stores. */
import { readConfig, type Config } from '../../../config.js';
import { reasonOf } from '../../../errors.js';
import { failed, ok, type Finding } from './check.js';
import { checkDisk, checkFolder, checkPort, checkPublicUrl } from './machine.js';
import { checkStores, foldersOf } from './stores.js';

export async function checkMachine(): Promise<Finding[]> {
  let config: Config;
  try {
    config = readConfig(process.env);
  } catch (error) {
    return [failed('configuration', reasonOf(error), 'docs/configuration.md lists the variables.')];
  }
  const findings = [ok('configuration', 'the environment variables are valid')];
  for (const folder of foldersOf(config)) findings.push(await checkFolder(folder), await checkDisk(folder));
  return [...findings, await checkPort(config), checkPublicUrl(config), ...(await checkStores(config))];
}
