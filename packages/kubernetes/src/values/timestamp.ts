// Times as Kubernetes writes them: RFC 3339 in UTC. An instant is in milliseconds since the epoch.

/** A time as objects hold it (`metav1.Time`): whole seconds, `2026-01-02T15:04:05Z`. */
export function timestamp(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}

/** A time as leases and events hold it (`metav1.MicroTime`): with microseconds, of which we know none. */
export function microTimestamp(at: number): string {
  return new Date(at).toISOString().replace('Z', '000Z');
}

/** What `timestamp` was made from, without its fraction; undefined if there is none. */
export function instantOf(text: string | null | undefined): number | undefined {
  return text ? Date.parse(text) : undefined;
}
