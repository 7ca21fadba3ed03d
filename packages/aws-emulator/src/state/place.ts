/** An account and a region of it: what most of AWS' state belongs to. */
export interface Place {
  readonly account: string;
  readonly region: string;
}

/** The state of each account and region, made when it is first asked for. */
export class PerPlace<State> {
  readonly #states = new Map<string, State>();
  readonly #make: (place: Place) => State;

  constructor(make: (place: Place) => State) {
    this.#make = make;
  }

  of({ account, region }: Place): State {
    const key = `${account}/${region}`;
    let state = this.#states.get(key);
    if (state === undefined) this.#states.set(key, (state = this.#make({ account, region })));
    return state;
  }

  all(): Iterable<State> {
    return this.#states.values();
  }
}

/** `aws`, `aws-cn` or `aws-us-gov`: the first part of the ARNs of a region. */
export function partitionOf(region: string): string {
  if (region.startsWith('cn-')) return 'aws-cn';
  return region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws';
}
