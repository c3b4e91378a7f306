/** The first read model as a past has it: what its answers show. */
import { together } from '../projection.js';
import { projects } from './projects.js';
import { runs } from './runs.js';

export const pastRecords = together('records', [projects, runs]);
