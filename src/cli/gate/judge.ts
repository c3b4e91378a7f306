/** Whether a run passes the gate: the word of the server, or with flags the same rule on what the server answers. It is pure. */
import { exitCodes, type ExitCode } from '../exit-codes.js';
import type { RunFacts } from '../summary/facts.js';
import {
  factsOf,
  judgeGate,
  type GateFacts,
  type GateReason,
  type GateSettings,
} from '../../domain/gate/judge-gate.js';
import type { OwnGate } from '../../domain/gate/settings.js';
import { missingTestsText } from '../../domain/text/baseline.js';
import { gateReasonText, missingShardsText } from '../../domain/text/gate.js';
import { asLogText } from '../../domain/text/harmless.js';

/** Results that are not counted yet may have failed. */
const BEHIND = 'the server is behind: it has not counted all results in time';

/** `reasons` is empty if the gate passes; `codes` has those that the rule names. `settings`: those that were applied. */
export type Judgement = {
  passes: boolean;
  reasons: readonly string[];
  codes: readonly GateReason[];
  settings: GateSettings;
};

/** `isCurrent`: the answers show all that has come. */
export type Judged = Pick<RunFacts, 'run' | 'comparison' | 'project' | 'isCurrent'>;

/** `flags`: the settings that win for this call. Without one, the gate is what the run shows. */
export function judge(flags: OwnGate, judged: Judged): Judgement {
  const { run, project, isCurrent } = judged;
  const settings = { ...(run.gate_settings ?? project.gate), ...flags };
  // Nothing else is said of older answers: the run may be completed by now, and its shards may have come.
  if (!isCurrent) return failed([BEHIND], [], settings);
  if (run.status !== 'completed' || run.gate === null) {
    // The run names no reason before its gate is decided, and neither does the command: in words alone.
    const { reasons } = judgeRest(settings, judged, true);
    return failed([missingShardsText(run) || 'the run is not completed', ...reasons], [], settings);
  }
  const codes =
    Object.keys(flags).length === 0 ? run.gate_reasons : judgeGate(settings, factsNow(judged)).reasons;
  return inWords(codes, judged, settings);
}

/**
 * Judges what has come so far as if it were all: the other shards have jobs of their own, which are judged by themselves.
 * `hasFailures`: among its own tests. A shard whose tests passed must not fail for those of another one.
 */
export function judgePart(flags: OwnGate, judged: Judged, hasFailures: boolean): Judgement {
  const settings = { ...judged.project.gate, ...flags };
  if (!judged.isCurrent) return failed([BEHIND], [], settings);
  return judgeRest(settings, judged, hasFailures);
}

/** The exit code of `testledger gate`. */
export function exitCodeOf({ passes }: Pick<Judgement, 'passes'>): ExitCode {
  return passes ? exitCodes.ok : exitCodes.failed;
}

/** By the failures that have come, and not by what has not come yet. */
function judgeRest(settings: GateSettings, judged: Judged, hasFailures: boolean): Judgement {
  const ofFailures: GateSettings = hasFailures
    ? { ...settings, max_removed: null, min_tests: null }
    : { fail_on: 'none', max_removed: null, min_tests: null, max_known: null };
  const facts = { ...factsNow(judged), empty: false, incomplete: judged.run.report.partial };
  return inWords(judgeGate(ofFailures, facts).reasons, judged, settings);
}

/** What the rule asks, as the answers show it now. */
function factsNow({ run, comparison }: Judged): GateFacts {
  const { partial, failures_unread } = run.report;
  return factsOf(comparison, {
    empty: run.empty,
    incomplete: partial || missingShardsText(run) !== '' || run.completed_by === 'idle',
    report_failed: failures_unread > 0,
  });
}

function inWords(codes: readonly GateReason[], judged: Judged, settings: GateSettings): Judgement {
  const { run, comparison, project } = judged;
  const missing = missingTestsText(comparison, asLogText(project.default_branch));
  const reasons = codes.map((code) => gateReasonText(code, { run, comparison, missing }, settings));
  return { passes: codes.length === 0, reasons, codes, settings };
}

function failed(reasons: readonly string[], codes: readonly GateReason[], settings: GateSettings): Judgement {
  return { passes: false, reasons, codes, settings };
}
