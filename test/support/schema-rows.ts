// Rows for every table, by the schema version that added the table.

export const SCHEMA_ROWS: { readonly [version: number]: readonly string[] } = {
  1: [
    `INSERT INTO settings VALUES ('device_id', '"device-1"', 1)`,
    `INSERT INTO settings VALUES ('space_id', '"space-1"', 1)`,
  ],
  2: [
    `INSERT INTO workflows (id, facts, definition, progress) VALUES ('workflow-1',
       '{"created_at":1,"created_by_device_id":"device-1"}',
       '{"name":"Grüße 🌊","script_id":"script-1"}', '{"status":"active","updated_at":2}')`,
    `INSERT INTO scripts (id, facts) VALUES ('script-1',
       '{"workflow_id":"workflow-1","sha":"abc","code":"export {};","created_at":1}')`,
  ],
  3: [
    `INSERT INTO script_runs (id, facts, progress) VALUES ('session-1',
       '{"workflow_id":"workflow-1","lane":"main","device_id":"device-1","created_at":3}',
       '{"status":"booting"}')`,
    `UPDATE script_runs SET progress = '{"status":"completed","ended_at":4}'`,
    `INSERT INTO run_contexts (workflow_id, lane, version, updated_at)
       VALUES ('workflow-1', 'main', 7, 3)`,
    `INSERT INTO lane_validation VALUES ('workflow-1', 'main', 'script-1', 'valid', '[]', 3)`,
  ],
  4: [
    `INSERT INTO run_events (run_id, idempotency_key, facts) VALUES ('session-1', 'key-1',
       '{"run_seq":1,"event_type":"run.started","payload":{"a":1}}')`,
    `INSERT INTO run_snapshots VALUES ('session-1', 1, '{}')`,
  ],
  5: [
    `INSERT INTO topics (id, facts) VALUES ('topic-1', '{"workflow_id":"workflow-1","name":"in"}')`,
    `INSERT INTO events (id, facts, content, progress) VALUES ('event-1',
       '{"topic_id":"topic-1","workflow_id":"workflow-1","message_id":"m1","created_at":5}',
       '{"title":"One","payload":[1.5,"ä"]}', '{"status":"pending","attempt_number":1}')`,
    `UPDATE events SET progress = '{"status":"reserved","attempt_number":1,"reserved_by_run_id":"run-1"}'`,
  ],
  6: [
    `INSERT INTO handler_runs (id, facts, progress) VALUES ('run-1',
       '{"workflow_id":"workflow-1","handler_type":"consumer","handler_name":"c","device_id":"device-1","epoch":1}',
       '{"phase":"pending"}')`,
    `UPDATE handler_runs SET progress = '{"phase":"failed","error":"no","end_timestamp":"2026-01-01T00:00:00.000Z"}'`,
  ],
  7: [
    `INSERT INTO mutations (id, facts, call, outcome) VALUES ('mutation-1',
       '{"handler_run_id":"run-1","workflow_id":"workflow-1","device_id":"device-1","epoch":1,"created_at":6}',
       '{"tool_namespace":"http","tool_method":"post","params":{},"idempotency_key":"effect-1"}',
       '{"status":"in_flight"}')`,
    `UPDATE mutations SET outcome = '{"status":"indeterminate","error":"lost"}'`,
  ],
  8: [
    `INSERT INTO handler_state (id, facts, value) VALUES ('state-1',
       '{"workflow_id":"workflow-1","handler_name":"c"}', '{"state":{"n":1},"updated_at":6}')`,
  ],
  9: [`INSERT INTO reservations VALUES ('event-1', 1, 'run-1')`],
  10: [
    `INSERT INTO resolutions (id, facts, outcome) VALUES ('resolution-1',
       '{"mutation_id":"mutation-1","workflow_id":"workflow-1","resolution":"user_skip"}',
       '{"status":"waiting"}')`,
  ],
  11: [
    `INSERT INTO producer_schedules VALUES ('workflow-1', 'p', '{"every":"1h"}', 9, 8)`,
    `INSERT INTO consumer_wakes (workflow_id, consumer, wake_at) VALUES ('workflow-1', 'c', 9)`,
  ],
  12: [
    `INSERT INTO grants VALUES ('workflow-1', 'http', '{"hosts":["a"]}', 7)`,
    `INSERT INTO workflow_files VALUES ('workflow-1', '/home/me/w.ts', 7)`,
  ],
  13: [
    `INSERT INTO devices (id, facts, profile) VALUES ('device-1', '{"key_hash":"k"}', '{"name":"L"}')`,
    `INSERT INTO peers (device_id, key_hash, name, addresses, paired_at, paired_by)
       VALUES ('device-2', 'k2', 'Desk', '[]', 8, 'link')`,
  ],
  14: [
    `INSERT INTO lineages (id, from_version, told) VALUES ('lineage-1', 1, 1)`,
    `INSERT INTO peer_cursors VALUES ('device-2', 'lineage-9', 5, 8)`,
    `INSERT INTO merged_versions VALUES ('device-2', 3, 4)`,
    `INSERT INTO staged_changes VALUES ('device-2', 0, x'00ff')`,
  ],
  15: [
    `INSERT INTO ownership_claims (workflow_id, epoch, device_id, facts)
       VALUES ('workflow-1', 1, 'device-1', '{"how":"added","claimed_at":1}')`,
  ],
  16: [
    `INSERT INTO intents (id, facts) VALUES ('intent-1',
       '{"workflow_id":"workflow-1","wish":{"kind":"resume"},"device_id":"device-1","created_at":9}')`,
  ],
  17: [
    `INSERT INTO incidents (id, facts) VALUES ('incident-1',
       '{"kind":"epoch_tie","workflow_id":"workflow-1","about":"1","at":9}')`,
  ],
  18: [`INSERT INTO merged_rows VALUES ('events', 'event-1')`],
  19: [
    `INSERT INTO runner_repos VALUES ('main', 'Main', '/srv/main', 1, 9)`,
    `INSERT INTO runner_jobs (id, requested_by, payload_hash, repo_key, script_key, args, timeout_ms,
       status, created_at) VALUES ('job-1', 'me', 'h', 'main', 's', '{}', 1000, 'queued', 9)`,
    `INSERT INTO runner_job_events (job_id, seq, type, at) VALUES ('job-1', 1, 'queued', 9)`,
  ],
  20: [
    `INSERT INTO trigger_events (id, facts, raw_payload) VALUES ('input-1',
      '{"automation_id":"workflow-1","trigger_id":"hook-1","dedup_key":"a"}', '{"n":1}')`,
    `INSERT INTO automation_runs (id, facts, progress) VALUES ('automation-1',
      '{"automation_id":"workflow-1","trigger_event_id":"input-1"}', '{"status":"queued"}')`,
    `INSERT INTO hooks (id, name, workflow_id, topic, auth, dedup, request_id, created_at)
     VALUES ('hook-1', 'Invoices', 'workflow-1', 'in', '{"kind":"bearer"}', '{"by":"body"}', 'r', 9)`,
    `INSERT INTO hook_proofs (hook_id, proof, trigger_event_id) VALUES ('hook-1', 'p', 'input-1')`,
    `INSERT INTO automation_leases VALUES ('automation-1', 'worker-1', 9, 1)`,
    `INSERT INTO outbox (organization_id, run_id, kind, available_at, created_at)
     VALUES ('space-1', 'automation-1', 'enqueue_enrich', 9, 9)`,
  ],
  21: [
    `INSERT INTO idempotency_keys (key, call, body_hash, status, begun_at)
     VALUES ('key-1', 'workflows.create', 'h', 'begun', 9)`,
  ],
  22: [],
  23: [`INSERT INTO archived_rows (kind, content) VALUES ('events', '{"id":"event-0"}')`],
  24: [
    `INSERT INTO hook_proofs (hook_id, proof, trigger_event_id, taken_at)
     VALUES ('hook-1', 'q', 'input-2', 10)`,
  ],
  25: [],
  26: [],
  27: [],
  28: [],
  29: [`UPDATE consumer_wakes SET seen = '{"scriptId":"script-1","revisions":{}}'`],
  30: [
    `INSERT INTO events (id, facts, content, progress) VALUES ('event-2',
       '{"topic_id":"topic-1","workflow_id":"workflow-1","message_id":"m2","created_at":6,"caused_by":"input-1","also_caused_by":["input-2"]}',
       '{"title":"Two","payload":2}', '{"status":"pending","attempt_number":1}')`,
  ],
  31: [
    `INSERT INTO events (id, facts, content, progress) VALUES ('event-3',
       '{"topic_id":"topic-1","workflow_id":"workflow-1","message_id":"m3","created_at":4,"arrival":5,"place":1}',
       '{"title":"Three","payload":null}', '{"status":"pending","attempt_number":1}')`,
  ],
  32: [
    `INSERT INTO script_runs (id, facts, progress) VALUES ('session-2',
       '{"workflow_id":"workflow-1","lane":"draft","device_id":"device-1","created_at":10}',
       '{"status":"booting"}')`,
    `INSERT INTO run_log_forks VALUES ('session-1', 0)`,
  ],
  33: [],
  34: [],
  35: [],
  36: [
    `INSERT INTO handler_runs (id, facts, progress) VALUES ('run-2',
       '{"workflow_id":"workflow-1","handler_type":"producer","handler_name":"p","start_timestamp":"2026-01-01T00:00:00.000Z"}',
       '{"phase":"pending","cost":12300}')`,
  ],
  37: [
    `INSERT INTO artifacts (id, facts) VALUES ('artifact-1',
       '{"run_id":"run-1","name":"invoice.txt","type":"text/plain","bytes":2,"sha256":"2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae","maker":"person","cause":"request-1","device_id":"device-1","created_at":11}')`,
  ],
  // Levels 20 to 37 have a side effect without an organization in its key.
  38: [
    `INSERT INTO automation_side_effects (effect_id, organization_id, facts) VALUES ('effect-2', 'space-1',
      '{"run_id":"automation-1","kind":"http"}')`,
    `INSERT INTO automation_side_effect_runs (effect_id, organization_id, run_id)
     VALUES ('effect-2', 'space-1', 'automation-1')`,
  ],
  39: [
    `INSERT INTO raw_payloads (input_id, received_at, bytes, key_id, sealed)
     VALUES ('input-1', 9, 7, 'key', x'00ff')`,
  ],
  40: [
    `INSERT INTO refused_rows VALUES ('events:event-9', 'events', '["event-9"]', 'workflow-1', 'device-2',
      'content.title: Invalid input', 9, 10, 1, NULL)`,
  ],
  41: [
    `INSERT INTO mutations (id, facts, call, outcome) VALUES ('mutation-2',
       '{"handler_run_id":"run-2","workflow_id":"workflow-1","device_id":"device-1","epoch":1,"created_at":12}',
       '{"tool_namespace":"http","tool_method":"post","params":{},"idempotency_key":"effect-3"}',
       '{"status":"in_flight","updated_at":12}')`,
    `UPDATE mutations SET recovered = '{"status":"needs_reconcile","error":"crash","reconcile_attempts":0,"updated_at":13}'
     WHERE id = 'mutation-2'`,
  ],
};
