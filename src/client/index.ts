/** `testledger/client`: a client of the API of testledger. */
export { createClient, unwrap, type Client, type ClientOptions } from './client.js';
export type { CallOptions } from './call.js';
export type { Consumed, Consuming } from './consume-events.js';
export { TestledgerError, type ClientFault, type WrongField } from './errors.js';
export { positionFile, type PositionStore } from './positions.js';
export type {
  ArtifactRecord as Artifact,
  components,
  Event as FeedEvent,
  paths,
  SubmitItem,
  SubmitRun,
} from './api.generated.js';
export type { Retries } from './send.js';
export type { RunToSubmit, SubmitOptions, SubmittedRun, WrittenResults } from './submit-run.js';
export type { ArtifactToUpload, UploadOptions } from './upload-artifact.js';
export type { NamedArtifact, Uploaded } from './upload-artifacts.js';
export { receiveWebhook, type Reception, type SeenMessages } from './receive-webhook.js';
export { webhookHandler, type WebhookHandling } from './webhook-handler.js';
export type * from './webhook-messages.js';
