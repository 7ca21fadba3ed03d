/** A fault of a fixture server in one request. Faults on watches occur after a number of events. */
export type Fault =
  /** Answers with an error. */
  | { readonly do: 'status'; readonly code: number; readonly retryAfter?: number }
  /** Resets the connection instead of answering. */
  | { readonly do: 'reset' }
  /** Never answers. */
  | { readonly do: 'hang' }
  | { readonly do: 'delay'; readonly milliseconds: number }
  /** Resets the connection after so many bytes of the body, usually inside a line. */
  | { readonly do: 'cut'; readonly afterBytes: number }
  /** Ends a watch as after its timeout. */
  | { readonly do: 'close'; readonly afterEvents: number }
  /** Ends a watch without an error, but inside a line. */
  | { readonly do: 'halfLine'; readonly afterEvents: number }
  /** Sends an ERROR event. `keepOpen` leaves the connection open afterwards, without data. */
  | { readonly do: 'error'; readonly code: number; readonly afterEvents: number; readonly keepOpen: boolean }
  /** Sends a line that is not JSON, and continues. */
  | { readonly do: 'garbage'; readonly afterEvents: number }
  /** Lets the continue token of a list expire. */
  | { readonly do: 'expire' };

/** A random fault, weighted by how common it is; `random` returns numbers in [0, 1). */
export function randomFault(random: () => number): Fault {
  const pick = <T>(...values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const afterEvents = Math.floor(random() * 12);
  switch (pick('status', 'reset', 'delay', 'cut', 'close', 'halfLine', 'error', 'garbage', 'expire')) {
    case 'status':
      return { do: 'status', code: pick(429, 500, 502, 503, 504), ...pick<object>({}, { retryAfter: 0 }) };
    case 'reset':
      return { do: 'reset' };
    case 'delay':
      return { do: 'delay', milliseconds: Math.floor(random() * 5) };
    case 'cut':
      return { do: 'cut', afterBytes: Math.floor(random() * 4000) };
    case 'close':
      return { do: 'close', afterEvents };
    case 'halfLine':
      return { do: 'halfLine', afterEvents };
    case 'error':
      return { do: 'error', code: pick(410, 500, 504), afterEvents, keepOpen: pick(true, false) };
    case 'garbage':
      return { do: 'garbage', afterEvents };
    default:
      return { do: 'expire' };
  }
}
