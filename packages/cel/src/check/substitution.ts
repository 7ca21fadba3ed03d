import { type CelType, DYN, isSameType } from './cel-type.ts';

/** What type parameters stand for, found so far. Attempts work on a copy, which is kept when they succeed. */
export class Substitution {
  readonly #types: Map<string, CelType>;

  constructor(types: Iterable<readonly [string, CelType]> = []) {
    this.#types = new Map(types);
  }

  /** A substitution extended so that every `from[i]` can be used as `to[i]`, or undefined where none can be. */
  assign(from: readonly CelType[], to: readonly CelType[]): Substitution | undefined {
    // Most calls are about types without parameters, where nothing can be learnt and so nothing need be copied.
    const attempt = from.every(isClosed) && to.every(isClosed) ? this : new Substitution(this.#types);
    return attempt.#areAssignable(from, to) ? attempt : undefined;
  }

  /** The type with every parameter that is known replaced; `free` says what becomes of the others. */
  apply(type: CelType, free: 'keep' | 'dyn' = 'keep'): CelType {
    const known = type.kind === 'param' ? this.#types.get(type.name) : undefined;
    if (known !== undefined) return this.apply(known, free);
    if (type.kind === 'param') return free === 'dyn' ? DYN : type;
    return type.params.length === 0 ? type : { ...type, params: type.params.map((param) => this.apply(param, free)) };
  }

  #areAssignable(from: readonly CelType[], to: readonly CelType[]): boolean {
    return from.length === to.length && from.every((type, i) => this.#isAssignable(type, to[i]!));
  }

  #isAssignable(a: CelType, b: CelType): boolean {
    if (b.kind === 'param') {
      const outcome = this.#bind(b, a);
      if (outcome !== 'unbound') return outcome === 'bound';
    }
    if (a.kind === 'param') return this.#bind(a, b) === 'bound';
    if (isLoose(a) || isLoose(b)) return true;
    if (a.kind === 'null' || b.kind === 'null') return isNullable(a) && isNullable(b);
    if (a.kind === 'type') return b.kind === 'type';
    if (a.kind !== b.kind || a.name !== b.name) return false;
    return this.#areAssignable(a.params, b.params);
  }

  /** Makes `param` stand for `type`. `unbound` when it stands for nothing and would contain itself. */
  #bind(param: CelType, type: CelType): 'bound' | 'conflict' | 'unbound' {
    if (isSameType(param, type)) return 'bound';
    const known = this.#types.get(param.name);
    if (known === undefined) {
      if (this.#mentions(type, param)) return 'unbound';
      this.#types.set(param.name, type);
      return 'bound';
    }
    if (isSameType(known, type)) return 'bound';
    if (!this.#isAssignable(type, known)) return 'conflict';
    const general = mostGeneral(type, known);
    if (!this.#mentions(general, param)) this.#types.set(param.name, general);
    return 'bound';
  }

  #mentions(type: CelType, param: CelType): boolean {
    if (isSameType(type, param)) return true;
    if (type.kind !== 'param') return type.params.some((inner) => this.#mentions(inner, param));
    const known = this.#types.get(type.name);
    return known !== undefined && this.#mentions(known, param);
  }
}

function isClosed({ kind, params }: CelType): boolean {
  return kind !== 'param' && params.every(isClosed);
}

const isLoose = (type: CelType): boolean => type.kind === 'dyn' || type.kind === 'error';

/** Null passes for messages, timestamps and durations, never for plain values, lists or maps. */
function isNullable({ kind }: CelType): boolean {
  return kind === 'null' || kind === 'opaque' || kind === 'struct' || kind === 'duration' || kind === 'timestamp';
}

/** The one of two assignable types that says less. */
export function mostGeneral(a: CelType, b: CelType): CelType {
  return isAsGeneral(a, b) ? a : b;
}

function isAsGeneral(a: CelType, b: CelType): boolean {
  if (a.kind === 'dyn' || a.kind === 'param') return true;
  if (b.kind === 'dyn' || b.kind === 'param') return false;
  if (a.kind === 'type' && b.kind === 'type') return true;
  if (a.kind !== b.kind || a.name !== b.name || a.params.length !== b.params.length) return false;
  return a.params.every((param, i) => isAsGeneral(param, b.params[i]!));
}
