import type { ProviderProfile } from '@karpenter-ts/apis';
import type { Catalogue } from './catalogue.ts';
import { readCatalogue } from './catalogue-reader.ts';
import type { InstanceType } from '../../snapshot.ts';

/** Indexes of instance types, kept between runs: the same array of types is indexed once for as long as it is in use. */
export class Catalogues {
  readonly #known = new WeakMap<readonly InstanceType[], { profile: ProviderProfile; catalogue: Catalogue }>();

  of(types: readonly InstanceType[], profile: ProviderProfile): Catalogue {
    const reading = this.read(types, profile);
    for (;;) {
      const step = reading.next();
      if (step.done) return step.value;
    }
  }

  /** The same, a little at each step if it has to be indexed first. */
  *read(types: readonly InstanceType[], profile: ProviderProfile): Generator<void, Catalogue, undefined> {
    const known = this.#known.get(types);
    if (known?.profile === profile) return known.catalogue;
    const catalogue = yield* readCatalogue(types, profile);
    this.#known.set(types, { profile, catalogue });
    return catalogue;
  }
}
