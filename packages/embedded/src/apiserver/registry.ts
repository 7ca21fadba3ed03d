import { CustomStrategy } from './custom/custom-strategy.ts';
import { customVersions } from './custom/definition.ts';
import { builtinStrategies } from './kinds/behaviour/strategies.ts';
import type { KubeObject } from './object.ts';
import type { ServedResource } from './resources.ts';
import type { Strategy } from './strategy.ts';

/** Every resource the server has: the built-in ones, and those of the definitions it was told of. */
export class Registry {
  readonly #strategies = new Map<string, Strategy>(
    builtinStrategies().map((strategy) => [pathOf(strategy.resource), strategy]),
  );
  readonly #defined = new Map<string, readonly CustomStrategy[]>();

  find(group: string, version: string, plural: string): Strategy | undefined {
    return this.#strategies.get(pathOf({ group, version, plural }));
  }

  /** As `find`, for what is known to be there. */
  get(group: string, version: string, plural: string): Strategy {
    const strategy = this.find(group, version, plural);
    if (strategy === undefined) throw new Error(`${plural}.${group} is not served`);
    return strategy;
  }

  /** All there is at the moment. */
  strategies(): readonly Strategy[] {
    return [...this.#strategies.values()];
  }

  /** Serves what a CustomResourceDefinition defines, in place of what it defined before. */
  define(definition: KubeObject): void {
    this.undefine(definition.metadata.name);
    const isTerminating = Boolean(definition.metadata.deletionTimestamp);
    const strategies = customVersions(definition).map((version) => new CustomStrategy(version, isTerminating));
    for (const strategy of strategies) this.#strategies.set(pathOf(strategy.resource), strategy);
    this.#defined.set(definition.metadata.name, strategies);
  }

  /** The strategies of a definition, one for each served version. */
  defined(name: string): readonly CustomStrategy[] {
    return this.#defined.get(name) ?? [];
  }

  undefine(name: string): void {
    for (const { resource } of this.defined(name)) this.#strategies.delete(pathOf(resource));
    this.#defined.delete(name);
  }
}

const pathOf = ({ group, version, plural }: Pick<ServedResource, 'group' | 'version' | 'plural'>): string =>
  `${group}/${version}/${plural}`;
