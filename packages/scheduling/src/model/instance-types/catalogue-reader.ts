import { CAPACITY_TYPE_LABEL, type ProviderProfile, type RequirementSpec, toRequirements } from '@karpenter-ts/apis';
import { BitSet } from '../interning/bit-set.ts';
import { RequirementTable } from '../requirements/requirement-table.ts';
import { AmountReader, type Amounts, hasNegative } from '@karpenter-ts/kubernetes';
import { variantsOf } from './allocatable.ts';
import { Catalogue, type Declaration, type OfferingKind, type ReservedOffering } from './catalogue.ts';
import type { InstanceType, Offering } from '../../snapshot.ts';

/** How many types are read between two chances to pause: a few milliseconds of work. */
const STEP = 64;

/** Indexes instance types, a little at each step. */
export function* readCatalogue(
  types: readonly InstanceType[],
  profile: ProviderProfile,
): Generator<void, Catalogue, undefined> {
  const reader = new CatalogueReader(types, profile);
  for (let id = 0; id < types.length; id++) {
    if (id % STEP === 0) yield;
    reader.read(id);
  }
  return new Catalogue(reader);
}

/** The parts of a catalogue while they are put together. */
class CatalogueReader {
  readonly types: readonly InstanceType[];
  readonly typeOf: number[] = [];
  readonly allocatable: Amounts[] = [];
  readonly capacity: Amounts[] = [];
  readonly sound = new BitSet();
  readonly lastResorts = new BitSet();
  readonly kinds: OfferingKind[] = [];
  readonly reserved: ReservedOffering[] = [];
  readonly reservations = new Map<string, number>();
  readonly declarations = new Map<string, Declaration[]>();
  readonly #profile: ProviderProfile;
  readonly #amounts = new AmountReader();
  readonly #requirements = new RequirementTable();
  /** By number of the requirement. */
  readonly #declared: Declaration[] = [];
  readonly #kindIds = new Map<string, number>();

  constructor(types: readonly InstanceType[], profile: ProviderProfile) {
    this.types = types;
    this.#profile = profile;
  }

  /** Reads the type with the next number. */
  read(id: number): void {
    const type = this.types[id]!;
    const capacity = this.#amounts.read(type.capacity);
    const ofType = new BitSet();
    for (const { allocatable, offerings } of variantsOf(type, this.#amounts)) {
      const variant = this.typeOf.push(id) - 1;
      this.allocatable.push(allocatable);
      this.capacity.push(capacity);
      if (!hasNegative(allocatable)) this.sound.add(variant);
      ofType.add(variant);
      for (const offering of offerings) this.#offer(offering, id, variant, ofType);
    }
    if (type.lastResort === true) this.lastResorts.unite(ofType);
    this.#declare(type, ofType);
    for (const { reservation } of type.offerings) {
      if (reservation === undefined) continue;
      const least = Math.min(this.reservations.get(reservation.id) ?? Number.POSITIVE_INFINITY, reservation.capacity);
      this.reservations.set(reservation.id, least);
    }
  }

  #declare({ requirements }: InstanceType, ofType: BitSet): void {
    for (const [key, requirement] of toRequirements(requirements, this.#profile)) {
      const id = this.#requirements.intern(requirement);
      this.#declared[id] ??= this.#addDeclaration(key, { requirement, variants: new BitSet() });
      this.#declared[id].variants.unite(ofType);
    }
  }

  #addDeclaration(key: string, declaration: Declaration): Declaration {
    const others = this.declarations.get(key);
    if (others === undefined) this.declarations.set(key, [declaration]);
    else others.push(declaration);
    return declaration;
  }

  /** `ofType` will have all variants of the type once it is read. */
  #offer(offering: Offering, type: number, variant: number, ofType: BitSet): void {
    const kind = this.#kindOf(offering);
    const { requirements, variants, prices } = this.kinds[kind]!;
    variants.add(variant);
    prices[type] = Math.min(prices[type]!, offering.pricePerHour);
    if (offering.reservation === undefined) return;
    const isReserved = requirements.get(CAPACITY_TYPE_LABEL)?.values.has('reserved') === true;
    if (isReserved) this.reserved.push({ variants: ofType, kind, reservation: offering.reservation.id });
  }

  #kindOf({ requirements }: Offering): number {
    const text = kindText(requirements);
    let id = this.#kindIds.get(text);
    if (id === undefined) {
      id = this.kinds.length;
      this.kinds.push({
        requirements: toRequirements(requirements, this.#profile),
        variants: new BitSet(),
        prices: new Float64Array(this.types.length).fill(Number.POSITIVE_INFINITY),
      });
      this.#kindIds.set(text, id);
    }
    return id;
  }
}

/** Equal for offerings of one kind. There are ten of them to a type, so this is where the time goes. */
function kindText(requirements: readonly RequirementSpec[]): string {
  let text = '';
  for (const { key, operator, values } of requirements) text += `${key} ${operator} ${values?.join()}\n`;
  return text;
}
