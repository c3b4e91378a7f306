/** The commands that need nothing but a server to talk to. None of them imports a part of the server. */
import type { Commands } from './command-line.js';

export const clientCommands: Commands = new Map([
  ['import', async () => (await import('./commands/import.js')).importCommand],
  ['run', async () => (await import('./commands/run/run.js')).runCommand],
  ['gate', async () => (await import('./commands/gate.js')).gateCommand],
  ['verify', async () => (await import('./commands/verify.js')).verifyCommand],
  ['summary', async () => (await import('./commands/summary.js')).summaryCommand],
  ['brief', async () => (await import('./commands/brief.js')).briefCommand],
  ['known', async () => (await import('./commands/known/known.js')).knownCommand],
  ['mcp', async () => (await import('./commands/mcp.js')).mcpCommand],
  ['issues', async () => (await import('./commands/issues/issues.js')).issuesCommand],
  ['upload', async () => (await import('./commands/upload.js')).uploadCommand],
  ['shard-plan', async () => (await import('./commands/shard-plan.js')).shardPlanCommand],
  ['shard', async () => (await import('./commands/shard.js')).shardCommand],
  ['events', async () => (await import('./commands/events/events.js')).eventsCommand],
  ['export', async () => (await import('./commands/export.js')).exportCommand],
  ['projects', async () => (await import('./commands/projects/projects.js')).projectsCommand],
  ['usage', async () => (await import('./commands/usage.js')).usageCommand],
  ['retention', async () => (await import('./commands/retention.js')).retentionCommand],
  ['keys', async () => (await import('./commands/keys/keys.js')).keysCommand()],
  ['webhooks', async () => (await import('./commands/webhooks/webhooks.js')).webhooksCommand],
  ['redact', async () => (await import('./commands/redact.js')).redactCommand],
  ['purge', async () => (await import('./commands/purge.js')).purgeCommand],
  ['doctor', async () => (await import('./commands/doctor/doctor.js')).doctorCommand()],
  ['completion', async () => (await import('./commands/completion.js')).completionCommand],
]);
