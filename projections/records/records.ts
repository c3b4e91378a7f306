/** Every read model, folded in one pass, with the same checkpoints (docs/decisions/004). */
import { artifacts } from './artifacts.js';
import { audit } from './audit.js';
import { together } from '../projection.js';
import { teamSettings } from '../team-settings.js';
import { projects } from './projects.js';
import { runs } from './runs.js';
import { usage } from './usage.js';
import { webhooks } from './webhooks.js';

export const records = together('records', [projects, teamSettings, runs, artifacts, webhooks, audit, usage]);
