/** The pages that are shown as of a moment (`Page.asOf`), by their paths. */
import { pathsWithMoment } from './keep-moment.js';

const TEAM = '/teams/:team';

export const pathsAsOf = [
  `${TEAM}/runs/:run`,
  `${TEAM}/runs/:run/results`,
  `${TEAM}/runs/:run/failures`,
  `${TEAM}/runs/:run/failures/:group`,
  `${TEAM}/runs/:run/compare`,
  `${TEAM}/results/:result`,
  `${TEAM}/projects/:project/tests/:test`,
] as const;

export const hasMoment = pathsWithMoment(pathsAsOf);
