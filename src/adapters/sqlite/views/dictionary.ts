/**
 * What documents have in common, as JSON without what tells them apart. A new file is made with it, and keeps it
 * (`deflated.ts`), so it may be changed. Fields that it lacks only take more room. Collections with many small documents
 * stand last: what is near takes less.
 */
const SAMPLES = [
  ',"run_key":null,"label":null,"status":"Completed","completions":0,"items":0,"pull_request":null,"active_at":"2026-',
  '"counts":{"total":0,"pending":0,"running":0,"passed":0,"failed":0,"skipped":0,"known_fail":0}',
  '{"place":"00000000000000000000#0","event_id":"event_","type":"test.failed","team_id":"team_","subject":"test_","at":"2026-","targets":[],"outgoing":null,"about":{"kind":"result","result_id":"result_","run_id":"run_","project_id":"project_","counts":{"counts":{"total":1,"pending":0,"running":0,"passed":0,"failed":1,"skipped":0,"known_fail":0},"count_snapshot":null},"group":{"id":"group_","kind":"message","title":"","known":false},"position":"00000000000000000',
  '{"scope":"project_","listed_in":"project_","group":{"id":"group_","kind":"message","title":""},"runs":1,"results":1,"first":{"run_id":"run_","commit":null,"at":"2026-","opened":"00000000000000000","sighting":"run_#group_"},"last":{"run_id":"run_',
  ',"last_at":"2026-","sighting":"run_#group_","scope":"project_","in_run":"run_","results":1,"tests":1,"position":"00000000000000000',
  '{"result_id":"result_","project_id":"project_","test_id":"test_","run_id":"run_","branch":null,"commit":null,"at":"2026-","placed":"00000000000000000","failing_since":{"run_id":"run_","last_passed":null,"superseded_by":null,"known":false,"listed_in":"run_',
  '{"project_id":"project_","test_id":"test_","branch":"main","name":"","owner":null,"failing_test":null,"failed_at":null,"position":"00000000000000000',
  '"number":0,"listed_in":"project_","transitions":0,"owner":null,"troubled_in":null,"state":null,"newest":null,"impact":null,"known_failure":null,"position":"00000000000000000',
  '{"test_id":"test_","branch":null,"at":"2026-","chunk":0,"position":"00000000000000000',
  '{"team_id":"team_","created_position":"00000000000000000","superseded_by":null,"life":"present","claim":null,"test_result_id":"result_","project_id":"project_","test_run_id":"run_","test_name":"","status":"Passed","error_message":null,"metadata":null,"started_at":null,"finished_at":null,"execution_time_ms":null,"attempt":1,"retry_of":null,"created_at":"2026-","updated_at":"2026-","position":"00000000000000000',
];

export const VIEWS_DICTIONARY = SAMPLES.join('');
