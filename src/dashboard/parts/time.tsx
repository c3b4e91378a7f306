/** Instants and durations, as people read them. */
import type { Instant } from '../../domain/event.js';

/** An instant: in UTC, and with scripts as the time since then. */
export function Ago({ at }: { at: Instant }) {
  const text = utc(at);
  return (
    <time-ago>
      <time dateTime={at} title={text}>
        {text}
      </time>
    </time-ago>
  );
}

/** `2026-11-23 14:03 UTC` */
export function utc(at: Instant): string {
  return `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`;
}

/** `812 ms`, `4.2 s`, `6m 12s`, `2h 05m`; a dash where it is not known. */
export function duration(ms: number | null): string {
  if (ms === null) return '–';
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  return hours === 0 ? `${minutes}m ${pad(seconds % 60)}s` : `${hours}h ${pad(minutes)}m`;
}

/** `+38 s`, `−1.2 s`; empty where one is not known, or both are the same. */
export function durationChange(now: number | null, before: number | null): string {
  if (now === null || before === null || now === before) return '';
  const change = now - before;
  return `${change < 0 ? '−' : '+'}${duration(Math.abs(change))}`;
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}
