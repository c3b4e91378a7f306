/** Forms of the settings of a project. */
import { Field, Form, Submit } from '../../parts/forms/form.js';
import { RetentionFields } from '../../parts/forms/retention-fields.js';
import type { FormFault } from '../../form-fault.js';
import type { Project } from './frame.js';

/** What it is called, and of which code it is. */
export function Description({
  action,
  csrf,
  sent,
  fields,
}: {
  action: string;
  csrf: string;
  sent: Project;
  fields: FormFault['fields'];
}) {
  return (
    <section class="panel">
      <h2>Name and code</h2>
      <Form action={action} csrf={csrf}>
        <Field label="Name" name="name" value={sent.name} required maxLength={255} error={fields['name']} />
        <Field
          label="Description"
          name="description"
          value={sent.description ?? ''}
          error={fields['description']}
        />
        <Field
          label="Default branch"
          name="default_branch"
          value={sent.default_branch}
          required
          maxLength={255}
          error={fields['default_branch']}
          hint="Runs are compared with the newest completed run of this branch before them."
        />
        <Field
          label="Repository"
          name="repo_url"
          type="url"
          value={sent.repo_url ?? ''}
          maxLength={1_000}
          placeholder="https://github.com/acme/shop"
          error={fields['repo_url']}
          hint="Its web page: commits, files and pull requests become links. For a GitLab of your own, add /- at the end."
        />
        <Submit>Save</Submit>
      </Form>
    </section>
  );
}

export function Kept({
  action,
  csrf,
  retention,
}: {
  action: string;
  csrf: string;
  retention: Project['retention'];
}) {
  return (
    <section class="panel">
      <h2>How long things are kept</h2>
      <Form action={action} csrf={csrf}>
        <RetentionFields retention={retention} />
        <Submit>Save</Submit>{' '}
        <button type="submit" name="do" value="try">
          Say what it would free
        </button>
      </Form>
    </section>
  );
}
