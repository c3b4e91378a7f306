/**
 * What events have in common, as JSON without what tells them apart. A new file is made with it, and keeps it
 * (`deflated.ts`), so it may be changed. Fields that it lacks only take more room. The most frequent events stand last:
 * what is near takes less.
 */
const SAMPLES = [
  '"test_run_id":"run_","artifact_id":"artifact_","name":"","kind":"file","media_type":"","size":',
  ',"run_id":"run_","project_id":"project_","run_key":null,"label":null,"items":0,"finished_at":"2026-","completion":1,"reason":"requested"',
  ',"test_name":"","error_message":null,"finished_at":"2026-","execution_time_ms":0,"superseded_by":null,"supersedes":["result_',
  '[{"team_id":"team_","actor":"key_","at":"2026-","correlation_id":"","causation_id":null},{"result_id":"result_","project_id":"project_","run_id":"run_","previous_status":"Pending","status":"Running","started_at":"2026-',
  '","previous_status":"Running","status":"Failed","test_name":"","finished_at":"2026-","execution_time_ms":0}]',
  '[{"team_id":"team_","actor":"key_","at":"2026-","correlation_id":"","causation_id":null},{"result_id":"result_","project_id":"project_","run_id":"run_","test_name":"","status":"Passed","started_at":null,"metadata":{"branch":"main","commit":"","metadata":null,"attempt":1,"retry_of":null,"run_branch":null,"run_commit":null}]',
];

export const LOG_DICTIONARY = SAMPLES.join('');
