import type { Taint, Toleration } from '@karpenter-ts/kubernetes';

/** What a pod that gave up avoiding PreferNoSchedule taints tolerates, and every daemon does. */
export const TOLERATE_PREFER_NO_SCHEDULE: Toleration = { operator: 'Exists', effect: 'PreferNoSchedule' };

/** The taints that keep pods with these tolerations off; every effect does, PreferNoSchedule too (spec 02 §10). */
export function findUntolerated(taints: readonly Taint[], tolerations: readonly Toleration[]): readonly Taint[] {
  return taints.filter((taint) => !tolerations.some((toleration) => tolerates(toleration, taint)));
}

/** Whether exactly this toleration is among them, whatever else would tolerate the same. */
export function hasToleration(tolerations: readonly Toleration[], wanted: Toleration): boolean {
  return tolerations.some((one) => FIELDS.every((field) => (one[field] ?? '') === (wanted[field] ?? '')));
}

const FIELDS = ['key', 'operator', 'value', 'effect'] as const;

function tolerates({ key, operator, value, effect }: Toleration, taint: Taint): boolean {
  if (effect && effect !== taint.effect) return false;
  if (key && key !== taint.key) return false;
  switch (operator ?? '') {
    case '':
    case 'Equal':
      return (value ?? '') === (taint.value ?? '');
    case 'Exists':
      return true;
    case 'Lt':
      return isOrdered(taint.value, value);
    case 'Gt':
      return isOrdered(value, taint.value);
    default:
      return false;
  }
}

function isOrdered(lower = '', higher = ''): boolean {
  const [a, b] = [findInteger(lower), findInteger(higher)];
  return a !== undefined && b !== undefined && a < b;
}

/** An int64 in the one form Kubernetes takes here: no plus sign, no leading zeros. */
function findInteger(text: string): bigint | undefined {
  if (!/^(0|-?[1-9][0-9]{0,18})$/.test(text)) return undefined;
  const value = BigInt(text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

/** Lists of taints and of tolerations by number, so that each pair is compared once. */
export class TaintTable {
  readonly #taints = new Interner<Taint>();
  readonly #tolerations = new Interner<Toleration>();
  readonly #answers: boolean[][] = [];

  internTaints(taints: readonly Taint[]): number {
    return this.#taints.intern(taints);
  }

  internTolerations(tolerations: readonly Toleration[]): number {
    return this.#tolerations.intern(tolerations);
  }

  taints(id: number): readonly Taint[] {
    return this.#taints.get(id);
  }

  tolerations(id: number): readonly Toleration[] {
    return this.#tolerations.get(id);
  }

  tolerates(tolerations: number, taints: number): boolean {
    this.#answers[tolerations] ??= [];
    const answers = this.#answers[tolerations];
    answers[taints] ??= findUntolerated(this.taints(taints), this.tolerations(tolerations)).length === 0;
    return answers[taints];
  }
}

class Interner<T> {
  readonly #ids = new Map<string, number>();
  readonly #lists: (readonly T[])[] = [];

  intern(list: readonly T[]): number {
    const text = list.length === 0 ? '' : JSON.stringify(list);
    let id = this.#ids.get(text);
    if (id === undefined) {
      id = this.#lists.push(list) - 1;
      this.#ids.set(text, id);
    }
    return id;
  }

  get(id: number): readonly T[] {
    return this.#lists[id]!;
  }
}
