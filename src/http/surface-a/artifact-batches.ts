/** Surface A: many artifacts in one call. Small files travel in it, as base64. */
import { createArtifacts, type Artifacts, type WantedArtifact } from '../../commands/artifacts.js';
import { confirmArtifacts } from '../../commands/confirm-artifacts.js';
import { errors, invalidFields, type FieldError, type AppError } from '../../errors.js';
import { limits } from '../../limits.js';
import type { components } from '../../client/api.generated.js';
import type { Settled } from '../../commands/settled-in-groups.js';
import { ok, withBody, type Reply, type Route } from '../route.js';
import { artifactRecord, createdArtifactRecord } from './records.js';

type Outcome = components['schemas']['ArtifactOutcome'];

export function artifactBatchRoutes(artifacts: Artifacts): Route[] {
  return [
    {
      method: 'POST',
      path: '/artifact/batch',
      operation: {
        id: 'createArtifacts',
        summary: 'Creates artifacts, and confirms those whose file is in the call',
        answers: { 200: { items: 'ArtifactOutcome' } },
        errors: ['blobs_unavailable'],
      },
      role: 'member',
      reporter: true,
      // As for one: it answers upload URLs.
      replayFromEvents: true,
      ...withBody('CreateArtifacts', async ({ context, body, origin }) => {
        const created = await createArtifacts(artifacts, context, wantedOf(body.artifacts), origin());
        return outcomes(created, createdArtifactRecord);
      }),
    },
    {
      method: 'POST',
      path: '/artifact/batch/confirm',
      operation: {
        id: 'confirmArtifacts',
        summary: 'Makes uploaded artifacts visible',
        answers: { 200: { items: 'ArtifactOutcome' } },
        errors: ['blobs_unavailable'],
      },
      role: 'member',
      reporter: true,
      // A stored answer would keep the refusals of artifacts that were not uploaded yet.
      replayFromEvents: true,
      ...withBody('ConfirmArtifacts', async ({ context, body }) =>
        outcomes(await confirmArtifacts(artifacts, context, body.artifact_ids), (one) => artifactRecord(one)),
      ),
    },
  ];
}

/** @throws AppError `validation_failed`, with each file that is not what was announced */
function wantedOf(sent: readonly components['schemas']['BatchArtifact'][]): WantedArtifact[] {
  const faults: FieldError[] = [];
  const wanted = sent.map(({ content, ...artifact }, n) => {
    if (content === undefined || content === null) return artifact;
    const bytes = Buffer.from(content, 'base64');
    const refuse = (code: FieldError['code'], detail: string) =>
      void faults.push({ pointer: `/artifacts/${n}/content`, code, detail });
    // The decoder skips what is not base64.
    if (bytes.toString('base64') !== content) refuse('not_valid', 'must be base64');
    else if (bytes.length > limits.artifactContentBytes)
      refuse('too_large', `must have at most ${limits.artifactContentBytes} bytes`);
    else if (bytes.length !== artifact.size_bytes)
      refuse('not_valid', `has ${bytes.length} bytes, but size_bytes is ${artifact.size_bytes}`);
    return { ...artifact, content: bytes };
  });
  if (faults.length > 0) invalidFields(faults);
  return wanted;
}

function outcomes<T>(all: readonly Settled<T>[], recordOf: (value: T) => Outcome['artifact']): Reply {
  const items = all.map((each): Outcome => {
    if (each.status === 'fulfilled') return { artifact: recordOf(each.value), error: null };
    // The others were thrown.
    const { code, message: detail } = each.reason as AppError;
    return { artifact: null, error: { code, status: errors[code].status, detail } };
  });
  return ok({ items });
}
