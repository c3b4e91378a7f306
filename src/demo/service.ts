/** What the demo asks of a service, and the same over HTTP. The server itself fills a project without a call to itself. */
import {
  unwrap,
  type ArtifactToUpload,
  type Client,
  type RunToSubmit,
  type SubmittedRun,
} from '../client/index.js';

/** A file of a few kilobytes. */
export type DemoFile = Omit<ArtifactToUpload, 'path' | 'stream' | 'kind'> & {
  kind: NonNullable<ArtifactToUpload['kind']>;
  bytes: Uint8Array;
};

export type DemoService = {
  submitRun(run: RunToSubmit): Promise<Pick<SubmittedRun, 'id' | 'resultId'>>;
  /** A run of which something never came. */
  completeRun(id: string): Promise<void>;
  upload(files: readonly DemoFile[]): Promise<void>;
  /** Its id by its name. */
  testNamed(project: string, name: string): Promise<string>;
  setKnownFailure(
    project: string,
    test: string,
    known: { reason: string; expires_at: string },
  ): Promise<void>;
};

export function serviceOver(client: Client): DemoService {
  return {
    submitRun: (run) => client.submitRun(run),
    async completeRun(test_run_id) {
      const params = { path: { test_run_id } };
      await unwrap(client.POST('/v1/test/run/{test_run_id}', { params, body: { status: 'Completed' } }));
    },
    async upload(files) {
      for (const file of files) await client.uploadArtifact(file);
    },
    async testNamed(id, name) {
      const params = { path: { id }, query: { q: name } };
      const { data } = await unwrap(client.GET('/v1/projects/{id}/tests', { params }));
      return data.find((one) => one.name === name)!.id;
    },
    async setKnownFailure(id, test, body) {
      const params = { path: { id, test } };
      await unwrap(client.PUT('/v1/projects/{id}/tests/{test}/known-failure', { params, body }));
    },
  };
}
